// Draws clips on the skeletons that they come from and on others, at a few moments, to docs/images/retarget.jpg: look at it.
// `npx tsx tools/retarget-sheet.ts [OUT] [NAME …]` draws some of the clips below.
import path from 'node:path';
import sharp from 'sharp';
import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  restPose,
} from '../src/character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../src/character/model.ts';
import { findHumanoid } from '../src/humanoid/index.ts';
import { loadModel } from '../src/import/index.ts';
import { bindClips } from '../src/retarget/index.ts';
import { bodyOf } from '../src/retarget/body.ts';
import { escapeXml } from '../src/diagram/svg.ts';
import { shared } from '../test/support/shared.ts';
import { root } from './shader-sources.ts';

const FILES: Readonly<Record<string, string>> = {
  unreal: 'rigs/fbx/unreal-mannequin.glb',
  zombie: 'rigs/gltf/unreal-zombie.glb',
  kaykit: 'assets/characters/kaykit-knight.glb',
  quaternius: 'rigs/fbx/quaternius-knight.glb',
  cyberpunk: 'assets/characters/cyberpunk-character.glb',
  mech: 'assets/characters/mech-george.glb',
  robot: 'assets/characters/robot-expressive.glb',
  godette: 'rigs/vrm/godette-vrm0.vrm',
  legionary: '../characters/legionary.glb',
  godot: 'assets/characters/godot-robot-player.glb',
  cesium: 'assets/characters/cesium-man.glb',
  cmu: 'mocap/cmu02.glb',
  bandai: 'mocap/bandai1.glb',
  mocapbank: 'rigs/bvh/mocapbank.bvh',
  mixamo: 'rigs/bvh/mixamo-names.bvh',
  pab: 'rigs/fbx/pab-run.fbx',
  kenney: 'rigs/fbx/maya-kenney-character.fbx',
};
const CLIPS: Readonly<Record<string, readonly [source: string, clip: RegExp]>> = {
  walk: ['cmu', /02_01$/],
  punch: ['cmu', /02_05$/],
  bye: ['bandai', /byebye_active/],
  run: ['bandai', /run_tired/],
  swing: ['kaykit', /^1H_Melee_Attack_Chop$/],
  stroll: ['legionary', /^walk$/],
  dance: ['robot', /^Dance$/],
  roll: ['quaternius', /Roll$/],
  custom: ['unreal', /./],
  bank: ['mocapbank', /./],
  names: ['mixamo', /./],
  sprint: ['pab', /./],
};
/** Clips of the picture in the documents. */
const PICTURE = ['walk', 'bye', 'run', 'swing', 'stroll'];
const TARGETS = [
  'unreal',
  'zombie',
  'kaykit',
  'quaternius',
  'cyberpunk',
  'mech',
  'robot',
  'godette',
  'legionary',
  'godot',
  'cesium',
];
const MOMENTS = [0.15, 0.45, 0.75];
const CELL = { width: 104, height: 132 } as const;
/** Room for names of skeletons and clips. */
const MARGIN = { top: 24, left: 24 } as const;

type Point = readonly [number, number, number];

/** A picture with depth, which triangles and lines are drawn into. */
class Canvas {
  readonly pixels: Uint8ClampedArray;
  readonly #depth: Float32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.pixels = new Uint8ClampedArray(4 * width * height).fill(255);
    this.#depth = new Float32Array(width * height).fill(-Infinity);
  }

  triangle(a: Point, b: Point, c: Point, color: readonly number[]): void {
    const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (Math.abs(area) < 1e-9) return;
    const [x0, x1] = [
      Math.max(0, Math.floor(Math.min(a[0], b[0], c[0]))),
      Math.min(this.width - 1, Math.ceil(Math.max(a[0], b[0], c[0]))),
    ];
    const [y0, y1] = [
      Math.max(0, Math.floor(Math.min(a[1], b[1], c[1]))),
      Math.min(this.height - 1, Math.ceil(Math.max(a[1], b[1], c[1]))),
    ];
    for (let y = y0; y <= y1; y++)
      for (let x = x0; x <= x1; x++) {
        const u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area;
        const v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area;
        if (u < 0 || v < 0 || u + v > 1) continue;
        this.put(x, y, u * a[2] + v * b[2] + (1 - u - v) * c[2], color);
      }
  }

  line(a: Point, b: Point, color: readonly number[]): void {
    const steps = Math.ceil(Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]), 1));
    for (let i = 0; i <= steps; i++) {
      const at = (c: 0 | 1 | 2): number => a[c] + ((b[c] - a[c]) * i) / steps;
      for (const [dx, dy] of [[0, 0], [1, 0], [0, 1]] as const) this.put(Math.round(at(0)) + dx, Math.round(at(1)) + dy, at(2), color); // prettier-ignore
    }
  }

  put(x: number, y: number, depth: number, color: readonly number[]): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = y * this.width + x;
    if (depth < this.#depth[at]!) return;
    this.#depth[at] = depth;
    for (let c = 0; c < 3; c++) this.pixels[4 * at + c] = color[c]!;
  }
}

/** Draws a character at a moment into a cell: seen from the front and the left, its hips in the middle. */
function drawCharacter(canvas: Canvas, model: CharacterModel, clip: ClipModel, time: number, cell: Point): void {
  const { map } = findHumanoid(model);
  const body = bodyOf(model, map);
  const joints = composeJoints(model, evaluatePose(model, clip, time));
  const [qx, qy, qz, qw] = body.characterFromModel;
  const facing = 2 * Math.atan2(qy, qw) + 0.6;
  void qx;
  void qz;
  const scale = (0.8 * CELL.height) / tallness(model, body.height);
  const hips: Point = [joints[12 * map.hips! + 3]!, body.ground, joints[12 * map.hips! + 11]!];
  const ground = body.isCalibrated || body.ground < -0.3 * body.height ? 0 : body.ground;
  const project = (x: number, y: number, z: number): Point => {
    const [dx, dz] = [x - hips[0], z - hips[2]];
    const across = dx * Math.cos(facing) + dz * Math.sin(facing);
    const toward = -dx * Math.sin(facing) + dz * Math.cos(facing);
    return [
      cell[0] + CELL.width / 2 + scale * across,
      cell[1] + CELL.height - 16 - scale * (y - ground) + 0.15 * scale * toward,
      toward * scale,
    ];
  };
  canvas.line(
    project(hips[0] - body.height / 3, ground, hips[2]),
    project(hips[0] + body.height / 3, ground, hips[2]),
    [190, 190, 190],
  );
  const weights = evaluateMorphWeights(model, clip, time);
  const hasSkin = model.meshes.reduce((sum, { vertexCount }) => sum + vertexCount, 0) > 400;
  if (!hasSkin) drawBones(canvas, model, joints, project);
  for (const mesh of hasSkin ? model.meshes : []) {
    const base = model.materials[mesh.materialIndex]?.baseColor ?? [0.7, 0.7, 0.7, 1];
    const positions = evaluateVertices(model, mesh, joints, weights);
    const at = (i: number): Point => project(positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!);
    for (let i = 0; i < mesh.indices.length; i += 3) {
      const [a, b, c] = [at(mesh.indices[i]!), at(mesh.indices[i + 1]!), at(mesh.indices[i + 2]!)];
      const normal = [(b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]), (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]), (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])] as const; // prettier-ignore
      const light =
        0.45 + 0.55 * Math.abs((0.3 * normal[0] - 0.6 * normal[1] + 0.7 * normal[2]) / (Math.hypot(...normal) || 1));
      canvas.triangle(
        a,
        b,
        c,
        base.slice(0, 3).map((v) => 255 * Math.min(1, light * (0.25 + 0.75 * v ** 0.45))),
      );
    }
  }
}

/** The height of the meshes at rest, or of the skeleton. */
function tallness(model: CharacterModel, height: number): number {
  const joints = composeJoints(model, restPose(model));
  const weights = evaluateMorphWeights(model, undefined, 0);
  const heights = model.meshes
    .filter(({ vertexCount }) => vertexCount > 300)
    .flatMap((mesh) => {
      const positions = evaluateVertices(model, mesh, joints, weights);
      return Array.from({ length: mesh.vertexCount }, (_, i) => positions[3 * i + 1]!);
    });
  return Math.max(
    1.2 * height,
    heights.reduce((most, y) => Math.max(most, y), 0),
  );
}

function drawBones(
  canvas: Canvas,
  { joints }: CharacterModel,
  pose: Float64Array,
  project: (x: number, y: number, z: number) => Point,
): void {
  const at = (joint: number): Point => project(pose[12 * joint + 3]!, pose[12 * joint + 7]!, pose[12 * joint + 11]!);
  joints.forEach(({ parentIndex, name }, joint) => {
    const color = /left|^l|[._]l$/i.test(name)
      ? [30, 90, 200]
      : /right|^r(?!oot)|[._]r$/i.test(name)
        ? [200, 60, 30]
        : [60, 60, 60];
    if (parentIndex > 0 || (parentIndex === 0 && joints[0]!.name !== 'joint_Root'))
      canvas.line(at(parentIndex), at(joint), color);
  });
}

/** Names of skeletons above the columns, of sources and clips at the left of the rows, as an SVG over the picture. */
function labelsOf(clips: readonly string[]): string {
  const word = (x: number, y: number, turn: number, content: string): string =>
    `<text transform="translate(${x} ${y}) rotate(${turn})" text-anchor="middle">${escapeXml(content)}</text>`;
  const columns = ['source', ...TARGETS].map((name, i) => word(MARGIN.left + (i + 0.5) * CELL.width, 17, 0, name));
  const band = MOMENTS.length * CELL.height;
  const rows = clips.map((name, i) => word(17, MARGIN.top + (i + 0.5) * band, -90, name));
  const [width, height] = [MARGIN.left + (TARGETS.length + 1) * CELL.width, MARGIN.top + clips.length * band];
  const lines = clips.slice(1).map((_, i) => {
    const y = MARGIN.top + (i + 1) * band;
    return `<path d="M0 ${y}H${width}" stroke="#ccc"/>`;
  });
  const x = MARGIN.left + CELL.width;
  const edge = `<path d="M${x} 0V${height}" stroke="#ccc"/>`;
  const style = 'font-family="DejaVu Sans, sans-serif" font-size="14" fill="#222"';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${style}>${[...lines, edge, ...columns, ...rows].join('')}</svg>`;
}

async function main(): Promise<void> {
  const [out = path.join(root, 'docs/images/retarget.jpg'), ...wanted] = process.argv.slice(2);
  const rows = Object.entries(CLIPS).filter(([name]) => (wanted.length === 0 ? PICTURE : wanted).includes(name));
  const models = new Map<string, CharacterModel>();
  for (const [name, file] of Object.entries(FILES)) {
    const place = file.startsWith('../') ? path.join(root, file.slice(3)) : path.join(shared, file);
    models.set(name, { ...(await loadModel(place)), name });
  }
  const canvas = new Canvas((TARGETS.length + 1) * CELL.width, rows.length * MOMENTS.length * CELL.height);
  for (const [row, [, [name, pattern]]] of rows.entries()) {
    const source = models.get(name)!;
    const index = source.clips.findIndex((clip) => pattern.test(clip.name));
    for (const [column, target] of ['', ...TARGETS].entries()) {
      const model = target === '' ? source : models.get(target)!;
      const clip =
        target === '' ? source.clips[index]! : bindClips(model, [{ model: source, clips: [index] }]).clips[0]!;
      for (const [m, share] of MOMENTS.entries())
        drawCharacter(canvas, model, clip, share * clip.duration, [
          column * CELL.width,
          (row * MOMENTS.length + m) * CELL.height,
          0,
        ]);
    }
  }
  const { width, height, pixels } = canvas;
  const labels = Buffer.from(labelsOf(rows.map(([name, [source]]) => `${source}: ${name}`)));
  await sharp(pixels, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#fff' })
    .extend({ ...MARGIN, background: '#fff' })
    .composite([{ input: labels, left: 0, top: 0 }])
    .jpeg({ quality: 80 })
    .toFile(out);
  process.stdout.write(`${out}: ${width + MARGIN.left} x ${height + MARGIN.top}\n`);
}

void main();
