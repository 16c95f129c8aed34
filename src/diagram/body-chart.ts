import type { HumanBone } from '../character/humanoid.ts';
import { HUMAN_BONES } from '../character/humanoid.ts';
import { at, type Block, element, file, flow, line, stack, text, tooltip } from './svg.ts';
import { counted, wrap } from './text.ts';
import * as theme from './theme.ts';

/** The bones of a humanoid, as they were found among the joints of a skeleton. */
export interface MappedHumanoid {
  /** Name of the skeleton. */
  readonly name: string;
  /** Family of its names, such as Mixamo; `file` if the file names the bones. */
  readonly convention: string;
  /** 0 to 1; 0 for a skeleton that is not a humanoid's. */
  readonly confidence: number;
  readonly bones: Readonly<Partial<Record<HumanBone, { readonly joint: string; readonly confidence: number }>>>;
  /** Names of the joints that are not bones. */
  readonly others: readonly string[];
  /** Sentences about doubtful bones. */
  readonly doubts: readonly string[];
}

/** Colours by how sure a bone is, most sure first. */
const SURE: readonly { readonly least: number; readonly colour: string; readonly name: string }[] = [
  { least: 0.9, colour: '#2c7a4b', name: '90 % sure or more' },
  { least: 0.75, colour: '#8fae2e', name: '75 %' },
  { least: 0.5, colour: '#e0913a', name: '50 %' },
  { least: -Infinity, colour: theme.WARN, name: 'less' },
];
const BODY = '#dbe3ee';
const FIGURE = { width: 300, height: 316, middle: 150 } as const;
const LINES = 4;

/** Offsets from the middle, to the left of the person (the right of the picture), and from the top. */
const TRUNK: Readonly<Record<string, readonly [x: number, y: number]>> = {
  jaw: [0, 52],
  head: [0, 40],
  leftEye: [7, 28],
  neck: [0, 68],
  upperChest: [0, 92],
  chest: [0, 113],
  spine: [0, 134],
  hips: [0, 156],
};
const LIMBS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  Eye: [7, 28],
  Shoulder: [20, 84],
  UpperArm: [42, 88],
  LowerArm: [62, 128],
  Hand: [80, 166],
  UpperLeg: [19, 168],
  LowerLeg: [24, 226],
  Foot: [27, 280],
  Toes: [33, 297],
};
const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;
/** Middle of an enlarged hand, and offsets of its fingers' first joints and their directions. */
const PALM = [113, 206] as const;
const FINGER_PLACES: Readonly<
  Record<(typeof FINGERS)[number], readonly [x: number, y: number, dx: number, dy: number]>
> = {
  Thumb: [-19, -2, -6, 13],
  Index: [-10, 22, -2.5, 16],
  Middle: [-1, 25, 0, 17],
  Ring: [8, 23, 2, 16],
  Little: [16, 18, 5, 13],
};

type Found = MappedHumanoid['bones'];

/** The bones of a humanoid as one SVG file: see {@link bodyBlock}. @param width Pixels, 300 to 4,000. */
export function bodyChart(humanoid: MappedHumanoid, width = 640): string {
  const block = bodyBlock(humanoid, Math.min(4000, Math.max(FIGURE.width + 40, width)) - 40);
  const framed = { width: block.width + 40, height: block.height + 40, svg: at(block, 20, 20) };
  return file(framed, humanoid.name, `Bones of a humanoid: ${summary(humanoid)}.`);
}

/**
 * A figure with a dot for each bone, coloured by how sure it is, and a table of the joints. The pointer shows the joint
 * of a dot. Missing bones are hollow. Joints that are not bones, and doubts, are listed below.
 */
export function bodyBlock(humanoid: MappedHumanoid, width: number): Block {
  const { name, bones, confidence } = humanoid;
  const head: Block = {
    width,
    height: 44,
    svg:
      text(0, 15, name, { size: 15, bold: true, width }) +
      text(0, 34, summary(humanoid), { fill: confidence > 0 ? theme.MUTED : theme.WARN, width }),
  };
  const table = jointTable(bones, Math.max(FIGURE.width, Math.min(340, width - FIGURE.width - 24)));
  return stack([head, flow([figure(bones), table], width, 24), notes(humanoid, width)], 12);
}

function summary({ convention, confidence, bones }: MappedHumanoid): string {
  if (confidence === 0) return 'not a humanoid';
  const by = convention === 'file' ? 'as the file names them' : `by ${convention}, ${percent(confidence)} sure`;
  return `${counted(Object.keys(bones).length, 'bone')} ${by}`;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function figure(bones: Found): Block {
  const { width, height } = FIGURE;
  const dots = HUMAN_BONES.map((bone) => dot(bone, bones[bone]));
  const sides = [
    text(FIGURE.middle - PALM[0], PALM[1] + 92, 'right hand', { size: 11, fill: theme.MUTED, anchor: 'middle' }),
    text(FIGURE.middle + PALM[0], PALM[1] + 92, 'left hand', { size: 11, fill: theme.MUTED, anchor: 'middle' }),
  ];
  const svg = element('g', { class: 'body' }, silhouette(), ...sides, ...dots);
  const key = flow(SURE.map(keyEntry).concat(missingEntry()), width, 10);
  return stack([{ width, height, svg }, key], 8);
}

function keyEntry({ colour, name }: (typeof SURE)[number]): Block {
  return keyBlock(element('circle', { cx: 6, cy: 8, r: 5, fill: colour }), name);
}

function missingEntry(): Block {
  return keyBlock(element('circle', { cx: 6, cy: 8, r: 4.5, ...HOLLOW }), 'not found');
}

function keyBlock(sign: string, name: string): Block {
  return {
    width: 20 + name.length * 6.2,
    height: 16,
    svg: sign + text(16, 12, name, { size: 11, fill: theme.MUTED }),
  };
}

const HOLLOW = { fill: theme.PANEL, stroke: theme.AXIS, 'stroke-width': 1.4, 'stroke-dasharray': '2 2' } as const;

/** The shape of a body, below the dots: thick round lines. */
function silhouette(): string {
  const x = FIGURE.middle;
  const stroke = (d: string, width: number): string =>
    element('path', { d, fill: 'none', stroke: BODY, 'stroke-width': width, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }); // prettier-ignore
  const both = (place: string): string => {
    const [dx, dy] = LIMBS[place]!;
    return `${x + dx} ${dy}`;
  };
  const other = (place: string): string => {
    const [dx, dy] = LIMBS[place]!;
    return `${x - dx} ${dy}`;
  };
  const limbs = [both, other].flatMap((place) => [
    stroke(`M${place('UpperArm')}L${place('LowerArm')}L${place('Hand')}`, 17),
    stroke(`M${place('UpperLeg')}L${place('LowerLeg')}L${place('Foot')}L${place('Toes')}`, 21),
  ]);
  const palms = [-1, 1].flatMap((side) => {
    const [cx, cy] = [x + side * PALM[0], PALM[1]];
    const fingers = FINGERS.map((finger) => {
      const [fx, fy, dx, dy] = FINGER_PLACES[finger];
      return stroke(`M${cx} ${cy}L${cx + side * (fx + 2.4 * dx)} ${cy + fy + 2.4 * dy}`, 11);
    });
    return [element('circle', { cx, cy: cy + 4, r: 19, fill: BODY }), ...fingers];
  });
  return [
    element('circle', { cx: x, cy: 36, r: 25, fill: BODY }),
    stroke(`M${x} 60L${x} 90`, 18),
    stroke(`M${x - 24} 94L${x + 24} 94L${x + 15} 156L${x - 15} 156Z`, 32),
    ...limbs,
    ...palms,
  ].join('');
}

function dot(bone: HumanBone, found: { readonly joint: string; readonly confidence: number } | undefined): string {
  const [cx, cy, r] = placeOf(bone);
  const name = found ? `${bone}: ${found.joint}, ${percent(found.confidence)} sure` : `${bone}: not found`;
  const look = found
    ? { fill: SURE.find(({ least }) => found.confidence >= least)!.colour, stroke: theme.PANEL, 'stroke-width': 1.2 }
    : HOLLOW;
  return element('g', { 'data-bone': bone }, tooltip(name), element('circle', { cx, cy, r, ...look }));
}

function placeOf(bone: HumanBone): readonly [x: number, y: number, radius: number] {
  const trunk = TRUNK[bone];
  if (trunk && bone !== 'leftEye') return [FIGURE.middle + trunk[0], trunk[1], bone === 'jaw' ? 3.2 : 6];
  const [, side, part] = /^(left|right)(.+)$/.exec(bone)!;
  const sign = side === 'left' ? 1 : -1;
  const limb = LIMBS[part!];
  if (limb) return [FIGURE.middle + sign * limb[0], limb[1], part === 'Eye' ? 3.2 : 6];
  const finger = FINGERS.find((each) => part!.startsWith(each))!;
  const [fx, fy, dx, dy] = FINGER_PLACES[finger];
  const order = finger === 'Thumb' ? ['Metacarpal', 'Proximal', 'Distal'] : ['Proximal', 'Intermediate', 'Distal'];
  const along = order.indexOf(part!.slice(finger.length)) + 0.4;
  return [FIGURE.middle + sign * (PALM[0] + fx + along * dx), PALM[1] + fy + along * dy, 3.6];
}

const ROW = 19;
const CENTRE = ['head', 'neck', 'upperChest', 'chest', 'spine', 'hips'] as const;
const PAIRED = ['Shoulder', 'UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot', 'Toes'] as const;

/** Joints by bone. The person's right is at the left, as in the figure. */
function jointTable(bones: Found, width: number): Block {
  const half = width / 2 - 44;
  const [left, middle, right] = [half, width / 2, width - half];
  const joint = (bone: HumanBone): { name: string; fill: string } => {
    const found = bones[bone];
    return found ? { name: found.joint, fill: theme.INK } : { name: '–', fill: theme.MUTED };
  };
  const label = (y: number, content: string): string =>
    text(middle, y, content, { size: 11, fill: theme.MUTED, anchor: 'middle' });
  const rows = [
    ...PAIRED.slice(0, 4).map((part) => pairRow(part)),
    ...PAIRED.slice(4).map((part) => pairRow(part)),
    fingerRow(),
  ];
  const centre = CENTRE.map((bone): string => {
    const { name, fill } = joint(bone);
    return label(13, bone) + text(right, 13, name, { size: 11, fill, width: half });
  });
  const all = [...centre, ...rows];
  const head =
    text(left, 12, 'right', { size: 11, bold: true, anchor: 'end' }) +
    text(right, 12, 'left, or middle', { size: 11, bold: true, width: half });
  const svg = all.map((row, i) => at({ width, height: ROW, svg: row }, 0, 20 + i * ROW));
  const rules = all.map((_, i) => line(0, 20 + i * ROW, width, 20 + i * ROW, { stroke: theme.GRID }));
  return { width, height: 20 + all.length * ROW, svg: head + rules.join('') + svg.join('') };

  function pairRow(part: (typeof PAIRED)[number]): string {
    const [r, l] = [joint(`right${part}`), joint(`left${part}`)];
    return (
      text(left, 13, r.name, { size: 11, fill: r.fill, anchor: 'end', width: half }) +
      label(13, part[0]!.toLowerCase() + part.slice(1)) +
      text(right, 13, l.name, { size: 11, fill: l.fill, width: half })
    );
  }

  function fingerRow(): string {
    const count = (side: string): string => {
      const names = HUMAN_BONES.filter((bone) => bone.startsWith(side) && FINGERS.some((each) => bone.includes(each)));
      return `${names.filter((bone) => bones[bone]).length} of ${names.length}`;
    };
    return (
      text(left, 13, count('right'), { size: 11, anchor: 'end' }) +
      label(13, 'fingers') +
      text(right, 13, count('left'), { size: 11 })
    );
  }
}

/** Doubts, missing bones, and joints that are not bones. */
function notes({ bones, doubts, others, confidence }: MappedHumanoid, width: number): Block {
  const missing = confidence > 0 ? HUMAN_BONES.filter((bone) => !bones[bone] && !isOptional(bone)) : [];
  const blocks = doubts.map((doubt) => paragraph('', doubt.split(' '), ' ', width, theme.WARN));
  if (missing.length > 0) blocks.push(paragraph('Not found: ', missing, ', ', width, theme.MUTED));
  if (others.length > 0)
    blocks.push(paragraph(`${counted(others.length, 'joint')} that are not bones: `, others, ', ', width, theme.MUTED));
  return stack(blocks, 6);
}

/** Bones that many complete skeletons lack. */
function isOptional(bone: HumanBone): boolean {
  return /Eye|jaw|Thumb|Index|Middle|Ring|Little|upperChest/.test(bone);
}

function paragraph(title: string, words: readonly string[], separator: string, width: number, fill: string): Block {
  const lines = wrap([title + (words[0] ?? ''), ...words.slice(1)], width, 11, separator);
  const shown = lines.length > LINES ? [...lines.slice(0, LINES - 1), '…'] : lines;
  const svg = shown.map((content, i) => text(0, 11 + 15 * i, content, { size: 11, fill, width }));
  return { width, height: 15 * shown.length, svg: svg.join('') };
}
