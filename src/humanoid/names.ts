/** Joint names, taken apart: side, number and the words that say which part of a body is meant. */

export interface JointName {
  readonly side: Side | undefined;
  /** Words without side, number, prefix and suffix, joined: `upperarm` for `mixamorig:LeftUpperArm_01`. */
  readonly word: string;
  /** Last number in the name; undefined without one. */
  readonly number: number | undefined;
  /** True for joints that drive, aim or end others: IK targets, controls, twist helpers, tips. */
  readonly isHelper: boolean;
}

export type Side = 'left' | 'right';

/** Words that mark joints which are not bones of a body, wherever they are in a name. */
const HELPERS = new Set(
  `ik fk ctrl control controller pole poletarget target pt twist twst roll bendy helper nub end leaf top tip slot
  handslot socket attach attachment weapon prop effector goal aim orient tracker legcontrol armcontrol legorient armorient
  mch org wgt vis locator dummy collider phys physics hair cloth cape skirt breast bust wing tail ear`.split(/\s+/),
);

/** Words that say nothing about the part of the body. */
const NOISE = new Set(
  `armature skeleton rig bone bones joint jnt jt def bip biped bip01 bip001 cc character valve valvebiped mixamorig
  sk bind skin deform c m ctr center bn jbip j main hik`.split(/\s+/),
);

const LEFT_WORDS = new Set(['left', 'l', 'lft', 'lt']);
const RIGHT_WORDS = new Set(['right', 'r', 'rgt', 'rt']);

/**
 * Takes the names of a skeleton apart. Words that nearly all names share, such as the name of the armature, and serial
 * numbers that all names end with, are left out.
 *
 * @param isWord Returns true for a known part of a body. Names in one case (`lfemur`, `upperarml`) need it.
 */
export function readJointNames(names: readonly string[], isWord: (word: string) => boolean): JointName[] {
  const bare = names.map((name) => withoutNamespace(name));
  const hasSerials = mostOf(bare, (name) => /_\d+$/.test(name)) && new Set(bare.map(serialOf)).size === bare.length;
  const split = bare.map((name) => wordsOf(hasSerials ? name.replace(/_\d+$/, '') : name));
  const counts = new Map<string, number>();
  for (const words of split) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const shared = new Set([...counts].filter(([, n]) => names.length >= 8 && n > 0.7 * names.length).map(([w]) => w));
  const isRigify = bare.some((name) => /^DEF[-_.]?[a-z]/.test(name));
  return split.map((words, i) => {
    const isHelper = words.some((word) => HELPERS.has(word)) || (isRigify && !bare[i]!.startsWith('DEF'));
    return { ...readWords(words.filter((word) => !shared.has(word)), isWord), isHelper }; // prettier-ignore
  });
}

function readWords(words: readonly string[], isWord: (word: string) => boolean): Omit<JointName, 'isHelper'> {
  let side: Side | undefined;
  let number: number | undefined;
  const rest: string[] = [];
  for (const word of words) {
    if (/^\d+$/.test(word)) number = Number(word);
    else if (side === undefined && LEFT_WORDS.has(word)) side = 'left';
    else if (side === undefined && RIGHT_WORDS.has(word)) side = 'right';
    else if (!NOISE.has(word)) rest.push(word);
  }
  const word = rest.join('');
  if (side !== undefined || isWord(word)) return { side, word, number };
  return { number, ...sideInside(word, isWord) };
}

/** The side of a name without separators or capitals: `lfemur`, `lefthand`, `upperarml`. */
function sideInside(word: string, isWord: (word: string) => boolean): Pick<JointName, 'side' | 'word'> {
  for (const [side, marks] of [
    ['left', ['left', 'l']],
    ['right', ['right', 'r']],
  ] as const)
    // prettier-ignore
    for (const mark of marks) {
      if (word.startsWith(mark) && isWord(word.slice(mark.length))) return { side, word: word.slice(mark.length) };
      if (word.endsWith(mark) && isWord(word.slice(0, -mark.length)))
        return { side, word: word.slice(0, -mark.length) };
    }
  return { side: undefined, word };
}

/** `mixamorig:Hips`, `rig|Hips` and `mixamorig1Hips` without what precedes the name. */
function withoutNamespace(name: string): string {
  return name.replace(/^.*[:|]/, '').replace(/^mixamorig\d*_?(?=[A-Z])/, '');
}

function serialOf(name: string): string {
  return /_\d+$/.exec(name)?.[0] ?? name;
}

/** Lower-case words and numbers: at separators, between small and large letters, and between letters and digits. */
function wordsOf(name: string): string[] {
  return name
    .replace(/^(DEF|ORG|MCH)(?=[-_.a-z])/, '$1 ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d)/g, '$1 $2')
    .replace(/(\d)([A-Za-z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

function mostOf<T>(list: readonly T[], test: (item: T) => boolean): boolean {
  return list.length >= 8 && list.filter(test).length > 0.7 * list.length;
}
