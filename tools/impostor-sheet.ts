// Draws a zoom away from soldiers, with meshes and with impostors, to docs/images/impostors.jpg, and the way back to
// impostors-back.jpg in out/: look at them. Columns are every second frame; rows are meshes, impostors, and their difference × 8. Prints
// how much the pictures differ, and how much each differs from the one before. `npx tsx tools/impostor-sheet.ts [OUT]`
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { nodeDevice } from '../src/node/node-gpu.ts';
import {
  cameraFor,
  compareFar,
  differenceAt,
  FarSoldiers,
  HEIGHT,
  WIDTH,
  type FarPicture,
  type FarRenderer,
} from '../test/support/far-soldiers.ts';
import { root } from './shader-sources.ts';

/** Heights of a soldier in pixels, frame by frame: impostors begin at 24, and are alone from 19.2 on. */
const AWAY = Array.from({ length: 16 }, (_, frame) => 25.5 - 0.5 * frame);
/** The middle of a picture, pixels; enlarged in the sheet. */
const CROP = { width: 58, height: 36, scale: 4 };
const CELL = { width: CROP.width * CROP.scale, height: CROP.height * CROP.scale };
const ROWS = ['meshes', 'impostors', 'difference × 8'] as const;
/** Room for labels, and white lines between cells. */
const MARGIN = { left: 34, top: 30 };
const GAP = 4;

interface Frame {
  readonly pixels: number;
  readonly meshes: FarPicture;
  readonly impostors: FarPicture;
}

/** Draws frames that follow one another, each once. */
async function zoom(
  soldiers: FarSoldiers,
  meshes: FarRenderer,
  far: FarRenderer,
  sizes: readonly number[],
): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const pixels of sizes) {
    const camera = cameraFor(pixels);
    await soldiers.update(far, camera, 1 / 30);
    const frame = { pixels, meshes: await soldiers.draw(meshes, camera), impostors: await soldiers.draw(far, camera) };
    const { average } = compareFar(frame.meshes, frame.impostors);
    const { drawn, waiting } = await far.impostors!.readStats();
    const last = frames.at(-1);
    const steps = last && [compareFar(last.meshes, frame.meshes), compareFar(last.impostors, frame.impostors)];
    const changes = steps?.map((step) => step.average.toFixed(2)) ?? ['', ''];
    const found = `${pixels} px: ${average.toFixed(2)}; to the frame before: ${changes.join(', ')}`;
    console.log(`${found}; ${drawn} impostors, ${waiting} wait`);
    frames.push(frame);
  }
  return frames;
}

/** Colours of a cell's pixel. */
function colorOf({ meshes, impostors }: Frame, row: number, pixel: number): readonly number[] {
  if (row === 2) return [0, 0, 0].fill(Math.min(255, 8 * differenceAt(meshes, impostors, pixel)));
  const { color } = row === 0 ? meshes : impostors;
  return [0, 1, 2].map((c) => color[4 * pixel + c]!);
}

/** Pixels of a soldier above the columns, and names at the left of the rows, as an SVG over the picture. */
function labelsOf(frames: readonly Frame[], width: number, height: number): string {
  const word = (x: number, y: number, turn: number, content: string): string =>
    `<text transform="translate(${x} ${y}) rotate(${turn})" text-anchor="middle">${content}</text>`;
  const columns = frames.map(({ pixels }, i) => word(leftOf(i) + CELL.width / 2, 21, 0, `${pixels} px`));
  const rows = ROWS.map((name, i) => word(23, topOf(i) + CELL.height / 2, -90, name));
  const style = 'font-family="DejaVu Sans, sans-serif" font-size="17" fill="#222"';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${style}>${[...columns, ...rows].join('')}</svg>`;
}

const leftOf = (column: number): number => MARGIN.left + column * (CELL.width + GAP);
const topOf = (row: number): number => MARGIN.top + row * (CELL.height + GAP);

async function drawSheet(frames: readonly Frame[], out: string): Promise<void> {
  const [width, height] = [leftOf(frames.length) - GAP, topOf(ROWS.length) - GAP];
  const data = Buffer.alloc(3 * width * height, 255);
  const corner = { x: (WIDTH - CROP.width) / 2, y: (HEIGHT - CROP.height) / 2 };
  frames.forEach((frame, column) => {
    for (let row = 0; row < ROWS.length; row++) {
      for (let y = 0; y < CELL.height; y++) {
        for (let x = 0; x < CELL.width; x++) {
          const [sourceX, sourceY] = [x, y].map((at) => Math.floor(at / CROP.scale)) as [number, number];
          const color = colorOf(frame, row, (corner.y + sourceY) * WIDTH + corner.x + sourceX);
          data.set(color, 3 * ((topOf(row) + y) * width + leftOf(column) + x));
        }
      }
    }
  });
  const labels = Buffer.from(labelsOf(frames, width, height));
  const sheet = sharp(data, { raw: { width, height, channels: 3 } }).composite([{ input: labels }]);
  await (out.endsWith('.png') ? sheet.png() : sheet.jpeg({ quality: 88 })).toFile(out);
  console.log(`${out}: ${width} × ${height}`);
}

const folder = path.join(root, 'out');
const [out = path.join(root, 'docs/images/impostors.jpg')] = process.argv.slice(2);
const { device, info } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
console.log(info.description || info.vendor);
const soldiers = await FarSoldiers.create(device, 1);
// without haze, which hides differences
soldiers.lighting = { fadeDistance: 1e6 };
const isShown = ({ pixels }: Frame) => Number.isInteger(pixels);
const [meshes, far] = [await soldiers.renderer(), await soldiers.renderer({})];
mkdirSync(folder, { recursive: true });
await drawSheet((await zoom(soldiers, meshes, far, AWAY)).filter(isShown), out);
const back = await zoom(soldiers, meshes, far, AWAY.toReversed());
await drawSheet(back.filter(isShown), path.join(folder, 'impostors-back.jpg'));
soldiers.destroy();
process.exit(0);
