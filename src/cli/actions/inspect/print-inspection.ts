import { listed } from '../../../errors.ts';
import { sharedPrefix } from '../../../diagram/clip-prefix.ts';
import { bytes, print, printIssues, printTable } from '../../output.ts';
import { columnsOf, cutMiddle, wrap } from '../../text-layout.ts';
import type { Inspection } from './inspection.ts';
import { treeLines } from './joint-tree.ts';
import type { PartFacts } from './stature.ts';

const INDENT = '  ';
/** Titles of facts are as wide. */
const TITLE_COLUMNS = 17;
/** Lines of a skeleton, and rows of materials, images and parts; further ones are counted. */
const MOST_JOINT_LINES = 32;
const MOST_ROWS = 32;

/** Prints a character for people, as wide as the terminal. */
export function printInspection(inspection: Inspection, showsAllJoints: boolean): void {
  const columns = columnsOf(process.stdout);
  print(['bold', inspection.file], `: ${inspection.name}`);
  printFacts([...statureFacts(inspection), ...meshFacts(inspection), ...avatarFacts(inspection)], columns);
  printSkeleton(inspection, showsAllJoints, columns);
  printHumanoid(inspection, columns);
  printParts(inspection, columns);
  printMaterials(inspection, columns);
  printLevels(inspection);
  printClips(inspection, columns);
  printMemory(inspection, columns);
  if (inspection.issues.length > 0) printHeading('Issues');
  printIssues(inspection.issues);
}

function printHeading(text: string): void {
  print();
  print(['bold', text]);
}

type Fact = readonly [title: string, text: string];

function printFacts(facts: readonly Fact[], columns: number): void {
  for (const [title, text] of facts) {
    const begin = `${INDENT}${title.padEnd(TITLE_COLUMNS)}`;
    const [first, ...others] = wrap(begin, text, columns);
    print(['dim', begin], first!.slice(begin.length));
    for (const line of others) print(line);
  }
}

/** The licence of a VRM avatar, and what it has. */
function avatarFacts({ vrm }: Inspection): Fact[] {
  if (!vrm) return [];
  const { title, authors, license } = vrm.meta;
  const names = vrm.expressions.map(({ name }) => name);
  const colliders = vrm.colliderGroups.flat().length;
  return [
    ['avatar', `VRM ${vrm.version}: ${title || 'without a title'}, by ${listed(authors) || 'an unknown author'}`],
    ['licence', license || 'not stated'],
    ['expressions', names.length === 0 ? 'none' : `${names.length}: ${listed(names)}`],
    ['springs', `${counted(vrm.springs.length, 'chain')}, ${counted(colliders, 'collider')}; they do not swing`],
  ];
}

type Row = readonly (string | number)[];

/** @param more Where the rest is listed. */
function printRows(titles: Row, rows: readonly Row[], columns: number, spare: readonly number[] = []): void {
  printTable([titles, ...rows.slice(0, MOST_ROWS)], { indent: INDENT, columns: columns - INDENT.length, spare });
  const rest = rows.length - MOST_ROWS;
  if (rest > 0) print(INDENT, ['dim', `and ${rest} more; --json lists all`]);
}

function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}

/** Metres, with the decimals that a length of this size needs. */
function metresLike(size: number): (value: number) => string {
  const decimals = size > 0 ? Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size)))) : 2;
  return (value) => (Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value).toFixed(decimals).replace('-', '−');
}

/** Characters taller than this, in metres, were mostly made in centimetres. */
const TALL = 20;

function statureFacts({ stature, bounds, reach }: Inspection): Fact[] {
  const { height, bodyHeight, feet, facing } = stature;
  const metres = metresLike(height);
  const [width, depth] = [0, 2].map((c) => metres(bounds.max[c]! - bounds.min[c]!));
  const holdsMore = Math.abs(height - bodyHeight) > 0.01 * height;
  const body = holdsMore ? `; ${metres(bodyHeight)} m without what the hands hold` : '';
  const units = height > TALL ? '; glTF counts metres, is this in centimetres?' : '';
  const [x, y, z] = feet;
  const isCentred = Math.hypot(x, z) < 0.05 * height;
  const place = isCentred ? 'around the origin' : `around x = ${metres(x)} m, z = ${metres(z)} m`;
  const facts: Fact[] = [
    ['height', `${metres(height)} m${body}${units}`],
    ['width, depth', `${width} m, ${depth} m`],
    ['feet', `at y = ${metres(y)} m, ${place}`],
    ['faces', facing ? directionOf(facing.yaw) : 'unknown: no joint names say left and right'],
  ];
  if (!reach) return facts;
  const center = reach.center.map(metres).join(', ');
  return [...facts, ['reach', `no pose leaves ${metres(reach.radius)} m around ${center}`]];
}

/** Names of the axes at quarter turns from +Z towards +X. */
const AXES = ['+Z', '+X', '−Z', '−X'];

function directionOf(yaw: number): string {
  const degrees = (yaw * 180) / Math.PI;
  const quarter = Math.round(degrees / 90);
  if (Math.abs(degrees - 90 * quarter) > 5) return `${degrees.toFixed(0)}° from +Z towards +X; glTF asks for +Z`;
  const axis = AXES[(quarter + 4) % 4]!;
  return axis === '+Z' ? '+Z, as glTF asks' : `${axis}; glTF asks for +Z`;
}

function meshFacts(inspection: Inspection): Fact[] {
  const { influences, morphs, lods, meshes } = inspection;
  const finest = lods[0] ?? { triangles: 0, vertices: 0 };
  const counts = influences.histogram.flatMap((count, i) => (count > 0 ? [`${grouped(count)} with ${i}`] : []));
  const ways = [...waysOf(inspection)].map(([way, count]) => [`${grouped(count)} ${way}`]);
  const facts: Fact[] = [
    ['meshes', `${grouped(meshes.length)}, with ${counted(finest.triangles, 'triangle')}`],
    ['vertices', ways.join('; ') || 'none'],
    ['influences', counts.join(', ') || 'none'],
  ];
  if (morphs.length === 0) return facts;
  return [...facts, ['morph targets', `${morphs.length}: ${shortList([...new Set(morphs)], MOST_ROWS)}`]];
}

function shortList(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Ways in which vertices are packed, and how many are. */
function waysOf({ meshes }: Inspection): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { vertexFormat, vertices } of meshes) {
    const { layout, channels, influences, bytesPerVertex } = vertexFormat;
    const formats = Object.entries(channels).map(([channel, format]) => `${channel} ${format}`);
    const deltas = bytesPerVertex.perTarget > 0 ? ` + ${bytesPerVertex.perTarget} per morph target` : '';
    // variable ones differ from mesh to mesh
    const joints = influences === 'fixed' ? `${bytesPerVertex.influences} of influences` : '4 + 8 per influence';
    const way = `${layout} (${formats.join(', ')}): ${bytesPerVertex.channels} + ${joints}${deltas} bytes each`;
    counts.set(way, (counts.get(way) ?? 0) + vertices);
  }
  return counts;
}

function printSkeleton({ joints }: Inspection, showsAll: boolean, columns: number): void {
  printHeading(`Skeleton: ${counted(joints.length, 'joint')}`);
  const tree = joints.map(({ name, parent, node }) => ({ name, parentIndex: parent, nodeIndex: node }));
  const lines = treeLines(tree, { most: showsAll ? Infinity : MOST_JOINT_LINES, hasChains: !showsAll });
  for (const { branch, names, hidden } of lines) {
    const note = hidden > 0 ? `${names.length > 0 ? ' ' : ''}+ ${counted(hidden, 'joint')}` : '';
    const room = columns - INDENT.length - branch.length - note.length;
    print(INDENT, ['dim', branch], chainText(names, room), ['dim', note]);
  }
  if (lines.some(({ hidden }) => hidden > 0)) print(INDENT, ['dim', '--joints all lists each']);
}

/** Joints that follow one another; of many the first, some more and the last. */
function chainText(names: readonly string[], columns: number): string {
  const link = ' › ';
  const whole = names.join(link);
  if (whole.length <= columns) return whole;
  for (let kept = names.length - 2; kept > 0; kept--) {
    const text = [...names.slice(0, kept), `… ${names.length - kept - 1} more …`, names.at(-1)!].join(link);
    if (text.length <= columns) return text;
  }
  return cutMiddle(whole, Math.max(8, columns));
}

/** Bones and their joints: those without a side, then those of both sides next to each other. */
function printHumanoid({ humanoid }: Inspection, columns: number): void {
  const { isHumanoid, convention, confidence, bones, doubts } = humanoid;
  if (!isHumanoid) return;
  const count = counted(Object.keys(bones).length, 'bone');
  printHeading(`Humanoid: ${count} by ${convention}, ${Math.round(100 * confidence)} % sure`);
  const joint = (bone: string): string => {
    const fact = bones[bone];
    if (!fact) return '';
    const sure = fact.confidence < 0.95 ? ` (${Math.round(100 * fact.confidence)} %)` : '';
    return `${fact.joint || `joint ${fact.index}`}${sure}`;
  };
  const middle = Object.keys(bones).filter((bone) => !/^(left|right)/.test(bone));
  const sided = new Set(
    Object.keys(bones).flatMap((bone) => (middle.includes(bone) ? [] : [bone.replace(/^(left|right)/, '')])),
  );
  const rows = [
    ...middle.map((bone) => [bone, joint(bone), '']),
    ...[...sided].map((part) => [part[0]!.toLowerCase() + part.slice(1), joint(`left${part}`), joint(`right${part}`)]),
  ];
  printRows(['bone', 'joint, or left', 'right'], rows, columns, [1, 2]);
  for (const doubt of doubts) for (const line of wrap(INDENT, doubt, columns)) print(['dim', line]);
}

function printParts({ parts, stature }: Inspection, columns: number): void {
  if (parts.length === 0) return;
  printHeading(`Parts: ${counted(parts.length, 'node with meshes', 'nodes with meshes')}`);
  const metres = metresLike(stature.height);
  const rows = parts.map((part) => [
    part.name || '(no name)',
    grouped(part.triangles),
    grouped(part.vertices),
    sizeOf(part, metres),
    moversOf(part),
    shortList(
      part.materials.map((name) => name || '(no name)'),
      3,
    ),
  ]);
  printRows(['part', 'triangles', 'vertices', 'size in m', 'moved by', 'materials'], rows, columns, [2, 3, 5]);
}

function sizeOf({ bounds }: PartFacts, metres: (value: number) => string): string {
  return bounds ? bounds.max.map((high, c) => metres(high - bounds.min[c]!)).join(' × ') : '';
}

function moversOf({ joints, hangsOn }: PartFacts): string {
  if (hangsOn !== null) return `on ${hangsOn || 'a joint without a name'}`;
  return joints.length === 0 ? 'nothing' : `${joints.length} joints`;
}

/** Short names for the uses of a material's textures. */
const TEXTURE_USES = {
  baseColorTexture: 'colour',
  metallicRoughnessTexture: 'metal and roughness',
  normalTexture: 'normals',
  occlusionTexture: 'occlusion',
  emissiveTexture: 'emission',
} as const;

function printMaterials({ materials, images }: Inspection, columns: number): void {
  if (materials.length === 0) return;
  const textures = images.length === 0 ? 'no textures' : counted(images.length, 'texture');
  printHeading(`Materials: ${materials.length}, ${textures}`);
  const usesOf = (used: Inspection['materials'][number]['textures']) =>
    Object.keys(used).map((use) => TEXTURE_USES[use as keyof typeof TEXTURE_USES]);
  const rows = materials.map(({ name, alphaMode, doubleSided, baseColor, textures: used }) => [
    name || '(no name)',
    hexOf(baseColor),
    usesOf(used).join(', ') || 'none',
    alphaMode.toLowerCase(),
    doubleSided ? 'both' : 'front',
  ]);
  printRows(['material', 'colour', 'textures', 'alpha', 'sides'], rows, columns, [4, 3]);
  if (images.length === 0) return;
  print();
  const users = images.map((): Set<string> => new Set());
  for (const { textures: used } of materials) {
    for (const [use, image] of Object.entries(used)) users[image]!.add(TEXTURE_USES[use as keyof typeof TEXTURE_USES]);
  }
  const pictures = images.map(({ name, width, height, format, bytes: size }, i) => [
    name || `(image ${i})`,
    width === null ? 'unreadable' : `${width} × ${height}`,
    format ?? '',
    bytes(size),
    [...users[i]!].join(', ') || 'not used',
  ]);
  printRows(['texture', 'pixels', 'format', 'encoded', 'used as'], pictures, columns, [2]);
}

/** A linear colour as pages write it. */
function hexOf(color: readonly number[]): string {
  const code = (linear: number) => {
    const value = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
  };
  return `#${color
    .slice(0, 3)
    .map((linear) => code(linear).toString(16).padStart(2, '0'))
    .join('')}`;
}

function printLevels({ lods }: Inspection): void {
  if (lods.length <= 1) return;
  printHeading(`Levels of detail: ${lods.length}`);
  const rows = lods.map(({ triangles, vertices, joints, error, bytes: size }, level) => [
    level,
    grouped(triangles),
    grouped(vertices),
    joints,
    lengthOf(error),
    bytes(size),
  ]);
  printTable([['LOD', 'triangles', 'vertices', 'joints', 'error', 'memory'], ...rows], { indent: INDENT });
}

/** A small length with its unit. */
function lengthOf(metres: number): string {
  if (metres >= 0.1) return `${metres.toFixed(2)} m`;
  const millimetres = 1000 * metres;
  if (millimetres < 0.0005) return '0 mm';
  return `${millimetres >= 10 ? millimetres.toFixed(0) : millimetres >= 1 ? millimetres.toFixed(1) : millimetres.toFixed(3)} mm`;
}

function printClips({ clips, size }: Inspection, columns: number): void {
  if (clips.length === 0) {
    printHeading('Clips: none');
    return;
  }
  const seconds = clips.reduce((sum, { duration }) => sum + duration, 0);
  const prefix = sharedPrefix(clips.map(({ name }) => name));
  const begin = prefix === '' ? '' : `; all names begin with ${prefix}`;
  printHeading(`Clips: ${clips.length}, ${seconds.toFixed(1)} s in all${begin}`);
  const columnsOfClips: Readonly<Record<string, (clip: Clip) => string | number>> = {
    clip: ({ name }) => name.slice(prefix.length) || '(no name)',
    seconds: (clip) => clip.duration.toFixed(2),
    repeats: repeatOf,
    travel: (clip) => (travels(clip, size) ? `${clip.root.distance.toFixed(2)} m` : ''),
    speed: (clip) => (travels(clip, size) && clip.duration > 0 ? `${clip.root.speed.toFixed(2)} m/s` : ''),
    turn: turnOf,
    tracks: ({ tracks }) => tracks,
    keys: ({ keys }) => keys,
    knots: ({ knots }) => knots,
    form: ({ form }) => form,
    memory: (clip) => bytes(clip.bytes),
    ratio: ({ ratio }) => ratio.toFixed(1),
    error: ({ maxError }) => lengthOf(maxError),
  };
  const kept = Object.entries(columnsOfClips).filter(([, cellOf]) => clips.some((clip) => cellOf(clip) !== ''));
  const titles = kept.map(([title]) => title);
  const spare = ['knots', 'tracks', 'ratio', 'form', 'keys', 'memory', 'speed'].map((title) => titles.indexOf(title));
  const rows = clips.map((clip) => kept.map(([, cellOf]) => cellOf(clip)));
  printTable([titles, ...rows], { indent: INDENT, columns: columns - INDENT.length, spare });
  const carrier = clips[0]!.root.joint || 'the root';
  const notes = [
    'repeats: yes where the last pose is the first, apart from travel and turn; else how far the farthest vertex jumps',
    ...(clips.some((clip) => repeatOf(clip).startsWith('≈'))
      ? ['≈: no more than a frame moves it, as where the frame that closes a clip was left out']
      : []),
    ...(titles.includes('travel')
      ? [`travel, speed, turn: of ${carrier} over the ground, from the first pose to the last`]
      : []),
    'error: of packing, measured at the farthest vertices',
  ];
  for (const note of notes) for (const line of wrap(INDENT, note, columns)) print(['dim', line]);
}

type Clip = Inspection['clips'][number];

function repeatOf({ closes, loops, seamInPlace, lastStep }: Clip): string {
  if (!loops) return 'once';
  if (closes) return 'yes';
  return `${seamInPlace <= 1.5 * lastStep ? '≈ ' : ''}${lengthOf(seamInPlace)}`;
}

/** Returns true if a clip moves a character of this size over the ground. */
function travels({ root }: Clip, size: number): boolean {
  return root.distance > 0.01 * size;
}

/** Empty where it is negligible. */
function turnOf({ root }: Clip): string {
  const degrees = Math.round((root.turn * 180) / Math.PI);
  return Math.abs(degrees) > 1 ? `${Math.abs(degrees)}° ${degrees > 0 ? 'left' : 'right'}` : '';
}

function printMemory({ memory }: Inspection, columns: number): void {
  printHeading('Memory on the GPU');
  const drawn = memory.textures === null ? '' : `${bytes(memory.textures)} in our renderers; `;
  const facts: Fact[] = [
    ['skeleton, clips', bytes(memory.rig)],
    ['meshes', bytes(memory.geometry + memory.indices)],
    ['textures', memory.images === 0 ? 'none' : `${drawn}${bytes(memory.images)} in the file`],
    ['each character', bytes(memory.perCharacter)],
    ['each visible', `${bytes(memory.perVisibleCharacter)}, that included`],
  ];
  printFacts(facts, columns);
}
