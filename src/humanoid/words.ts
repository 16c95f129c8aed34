/** Words that skeletons use for the parts of a body, and how sure each is: 1 for a name that means nothing else. */

/** Parts of the trunk, and of the limbs of one side. */
export type Part =
  | 'hips'
  | 'spine'
  | 'chest'
  | 'upperChest'
  | 'neck'
  | 'head'
  | 'jaw'
  | 'eye'
  | 'shoulder'
  | 'upperArm'
  | 'lowerArm'
  | 'hand'
  | 'upperLeg'
  | 'lowerLeg'
  | 'foot'
  | 'toes'
  | Finger
  | 'finger';

export type Finger = 'thumb' | 'index' | 'middle' | 'ring' | 'little';
export const FINGERS: readonly Finger[] = ['thumb', 'index', 'middle', 'ring', 'little'];

type Chances = Readonly<Partial<Record<Part, number>>>;

/** Words in names of a side. A word may have several meanings: the structure of the skeleton decides. */
const SIDED: Readonly<Record<string, Chances>> = {
  ...all('shoulder', 1, 'clavicle collar collarbone scapula clav shoulderblade'),
  // the clavicle in HumanIK's names, the upper arm in Biovision's
  shoulder: { shoulder: 1, upperArm: 0.6 },
  ...all('upperArm', 1, 'upperarm uparm armupper shldr shldrbend humerus bicep biceps shoulderjoint'),
  arm: { upperArm: 0.95, lowerArm: 0.3 },
  arm1: { upperArm: 0.95 },
  arm2: { lowerArm: 0.95 },
  ...all('lowerArm', 1, 'forearm lowerarm lowarm armlower forearmbend radius ulna forarm'),
  elbow: { lowerArm: 0.95 },
  ...all('hand', 1, 'hand'),
  ...all('hand', 0.9, 'wrist'),
  ...all('hand', 0.7, 'palm'),
  ...all('upperLeg', 1, 'upperleg upleg legupper thigh thighbend femur'),
  hip: { upperLeg: 0.95 },
  leg: { lowerLeg: 0.9, upperLeg: 0.6 },
  leg1: { upperLeg: 0.9 },
  leg2: { lowerLeg: 0.9 },
  ...all('lowerLeg', 1, 'lowerleg lowleg leglower calf shin tibia shank'),
  knee: { lowerLeg: 0.95 },
  ...all('foot', 1, 'foot'),
  ...all('foot', 0.95, 'ankle'),
  ...all('foot', 0.6, 'footback heel'),
  ...all('toes', 1, 'toe toes toebase ball'),
  ...all('toes', 0.8, 'footthumb football bigtoe toebig foottoe'),
  ...all('eye', 1, 'eye eyeball'),
  ...fingers(),
};

/** Words in names without a side. */
const MIDDLE: Readonly<Record<string, Chances>> = {
  ...all('hips', 1, 'hips pelvis hip'),
  ...all('hips', 0.7, 'root body cog rootpelvis centerofmass'),
  ...all('spine', 1, 'spine abdomen abdomenlower lowerback spinelower tummy waist belly stomach lowerspine'),
  ...all('spine', 0.9, 'torso back abdomenupper upperback spineupper trunk'),
  ...all('chest', 1, 'chest chestlower'),
  ...all('chest', 0.9, 'thorax ribs ribcage'),
  ...all('upperChest', 1, 'upperchest chestupper'),
  ...all('neck', 1, 'neck lowerneck neckbase necklower'),
  ...all('neck', 0.8, 'upperneck neckupper necktwist'),
  ...all('head', 1, 'head skull'),
  ...all('jaw', 1, 'jaw'),
};

/** Words of animals that walk on four legs, or have no arms. */
const ANIMAL =
  /^(front|fore|back|hind|rear)(up|upper|low|lower|mid)?(leg|foot|paw|shoulder|hoof|humerus|scapula)|^legs?(anchor|[a-d]$)/;

export function chancesOf(word: string, isSided: boolean): Chances {
  return (isSided ? SIDED : MIDDLE)[word] ?? {};
}

/** Returns true for a word that names a part of a side. */
export function isSidedWord(word: string): boolean {
  return word in SIDED && word !== 'hip';
}

export function isAnimalWord(word: string): boolean {
  return ANIMAL.test(word);
}

function all(part: Part, chance: number, words: string): Record<string, Chances> {
  return Object.fromEntries(words.split(' ').map((word) => [word, { [part]: chance }]));
}

/** `thumb`, `handthumb`, `fthumb`, `thumbfinger`, `thumbproximal` … of each finger. */
function fingers(): Record<string, Chances> {
  const names: Readonly<Record<Finger, string>> = {
    thumb: 'thumb',
    index: 'index point pointer',
    middle: 'middle mid',
    ring: 'ring',
    little: 'little pinky pinkie ringpinky small',
  };
  const ends = ['', 'finger', 'proximal', 'intermediate', 'distal', 'metacarpal', 'meta', 'palm'];
  const out: Record<string, Chances> = {};
  for (const finger of FINGERS)
    for (const name of names[finger].split(' '))
      for (const end of ends)
        for (const start of ['', 'hand', 'f', 'finger', 'inhand', 'palm'])
          out[`${start}${name}${end}`] = { [finger]: 1 };
  for (const word of ['finger', 'fingers', 'handfinger']) out[word] = { finger: 1 };
  return out;
}
