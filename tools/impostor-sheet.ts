// Draws a zoom away from soldiers, with meshes and with impostors, to docs/images/impostors.jpg, and the way back to
// impostors-back.jpg in out/: look at them. Frames are in two bands of eight, with meshes, impostors, and their difference × 8. Prints
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
const CROP = { width: 72, height: 46, scale: 3 };
const COLUMNS = 8;
const ROWS = 3;
/** White lines between bands. */
const GAP = 6;
const [CELL_WIDTH, CELL_HEIGHT] = [CROP.width * CROP.scale, CROP.height * CROP.scale];
const BAND = ROWS * CELL_HEIGHT + GAP;

interface Frame {
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
    const frame = { meshes: await soldiers.draw(meshes, camera), impostors: await soldiers.draw(far, camera) };
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

async function drawSheet(frames: readonly Frame[], out: string): Promise<void> {
  const [width, height] = [COLUMNS * CELL_WIDTH, Math.ceil(frames.length / COLUMNS) * BAND - GAP];
  const data = Buffer.alloc(3 * width * height, 255);
  const corner = { x: (WIDTH - CROP.width) / 2, y: (HEIGHT - CROP.height) / 2 };
  frames.forEach((frame, index) => {
    const left = (index % COLUMNS) * CELL_WIDTH;
    const top = Math.floor(index / COLUMNS) * BAND;
    for (let y = 0; y < ROWS * CELL_HEIGHT; y++) {
      for (let x = 0; x < CELL_WIDTH; x++) {
        const row = Math.floor(y / CELL_HEIGHT);
        const [sourceX, sourceY] = [x, y % CELL_HEIGHT].map((at) => Math.floor(at / CROP.scale)) as [number, number];
        const color = colorOf(frame, row, (corner.y + sourceY) * WIDTH + corner.x + sourceX);
        data.set(color, 3 * ((top + y) * width + left + x));
      }
    }
  });
  const sheet = sharp(data, { raw: { width, height, channels: 3 } });
  await (out.endsWith('.png') ? sheet.png() : sheet.jpeg({ quality: 85 })).toFile(out);
  console.log(`${out}: ${width} × ${height}`);
}

const folder = path.join(root, 'out');
const [out = path.join(root, 'docs/images/impostors.jpg')] = process.argv.slice(2);
const { device, info } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
console.log(info.description || info.vendor);
const soldiers = await FarSoldiers.create(device, 1);
const [meshes, far] = [await soldiers.renderer(), await soldiers.renderer({})];
mkdirSync(folder, { recursive: true });
await drawSheet(await zoom(soldiers, meshes, far, AWAY), out);
await drawSheet(await zoom(soldiers, meshes, far, AWAY.toReversed()), path.join(folder, 'impostors-back.jpg'));
soldiers.destroy();
process.exit(0);
