import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { characterStore } from './kept-characters.ts';
import { randomModel, type ModelShape } from './random-model.ts';
import { limitsOfRun } from './gpu.ts';
import { Random } from './random.ts';
import { withRecordedClips } from './recorded-clips.ts';
import { sample } from './setup.ts';

const KEYS = [['LINEAR'], ['LINEAR', 'STEP'], ['CUBICSPLINE'], ['LINEAR', 'STEP', 'CUBICSPLINE']] as const;

/** At default limits it is the buffers and bindings that matter, not the rigs: fewer of them show it. */
const SHARE = limitsOfRun() === 'adapter' ? 10 : 40;

/** Seeds of the random-rig matrices: all 200, or a tenth of them spread over the whole range. */
export const SEEDS: readonly number[] = sample(
  Array.from({ length: 200 }, (_, i) => i + 1),
  SHARE,
);

/** What random rig a seed stands for: 1–400 joints, depth 1–64, 1–12 influences, 0–8 morph targets. */
export function rigShape(random: Random): ModelShape {
  const joints = random.chance(0.15)
    ? random.integer(257, 400)
    : random.chance(0.3)
      ? random.integer(1, 8)
      : random.integer(9, 256);
  return {
    joints,
    depth: random.integer(1, Math.min(64, joints)),
    influences: random.chance(0.6) ? random.integer(1, 4) : random.integer(5, 12),
    morphs: random.chance(0.5) ? 0 : random.integer(1, 8),
    clips: CLIPS,
    vertices: random.integer(3, 700),
    scales: random.chance(0.4),
    meshes: random.integer(1, 3),
    keys: random.integer(2, 16),
    interpolations: random.pick(KEYS),
  };
}

const packed = new Map<number, readonly Character[]>();
const store = characterStore(
  'test/support/random-rigs.ts',
  'test/support/random-model.ts',
  'test/support/random.ts',
  'test/support/recorded-clips.ts',
);

/** One to three character types of a seed, some packed exactly; packed once for all processes. */
export function randomCharacters(seed: number): readonly Character[] {
  let characters = packed.get(seed);
  if (!characters) {
    const random = new Random(seed);
    characters = Array.from({ length: random.integer(1, 3) }, (_, index) => {
      const model = randomModel(random, rigShape(random));
      const options = random.chance(0.25) ? { errorBudget: 0 } : {};
      return store(`${seed}-${index}`, () => packCharacter(model, options));
    });
    packed.set(seed, characters);
  }
  return characters;
}

/** A random character with recorded clips, which are packed in sampled form. */
export function recordedCharacter(seed: number): Character {
  const random = new Random(seed);
  const joints = seed % 3 === 0 ? random.integer(257, 300) : random.integer(3, 60);
  const shape = { ...rigShape(random), joints, depth: random.integer(2, Math.min(20, joints)) };
  const model = withRecordedClips(random, randomModel(random, shape), random.integer(20, 60));
  return store(`recorded-${seed}`, () => packCharacter(model));
}

/**
 * The character with another level behind those that it has: the finest mesh, posed by some of its joints.
 * @param error What it states, in metres.
 */
export function withFewerJoints(random: Random, character: Character, error = 0): Character {
  const { joints, lods, geometry, indices, vertexCount, primitives, batchRuns } = character;
  const posed = joints.map(() => true);
  const share = random.range(0, 1);
  joints.forEach(
    ({ parentIndex }, joint) => (posed[joint] = parentIndex < 0 || (posed[parentIndex]! && !random.chance(share))),
  );
  const posedJoints = [...posed.keys()].filter((joint) => posed[joint]);
  return {
    ...character,
    lods: [...lods, { error, posedJoints, geometry, indices, vertexCount, primitives, batchRuns }],
  };
}

/** Clips of every random character. */
export const CLIPS = 2;

/** A case in words, for the message of a test that fails. */
export function describeCase(seed: number, characters: readonly Character[]): string {
  const types = characters.map(({ joints, vertexCount }) => `${joints.length} joints, ${vertexCount} vertices`);
  return `seed ${seed}: ${types.join('; ')}`;
}
