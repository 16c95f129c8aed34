// Which clips are packed: those that are selected, those that a controller names, or all.
import { describe, expect, test } from 'vitest';
import { soldierModel } from '../../../test/support/soldiers.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { readBaked, writeBaked } from '../file/index.ts';
import { defineController } from '../../controller/builder.ts';
import type { ControllerModel } from '../../controller/model.ts';
import { packCharacter, type PackOptions } from './index.ts';

const model = soldierModel();
const [idle, walk, attack] = ['idle', 'walk', 'attack'];

/** Plays walks only; additively over its base layer, seen from a pose of `attack`. */
const walker: ControllerModel = defineController({
  name: 'walker',
  parameters: {},
  clips: { walk: { reference: { clip: 'attack', time: 0.1 } } },
  layers: [
    { name: 'base', machine: { default: 'Go', states: { Go: { motion: 'walk' } } } },
    { name: 'more', blend: 'additive', machine: { default: 'Go', states: { Go: { motion: 'walk' } } } },
  ],
});

/** Names of packed clips without differences, and of those that were left out. */
function packed(options: PackOptions): [packed: string[], unpacked: readonly string[] | undefined] {
  const { clips, unpackedClips } = packCharacter(model, options);
  return [clips.map(({ name }) => name).filter((name) => !name.endsWith('(additive)')), unpackedClips];
}

describe('clips to pack', () => {
  test.each<[string, PackOptions, (string | undefined)[], (string | undefined)[] | undefined]>([
    ['all', {}, [idle, walk, attack], undefined],
    ['by name and index, in the order of the list', { clips: ['attack', 0] }, [attack, idle], [walk]],
    ['by a function', { clips: (name, index) => name === 'walk' || index === 2 }, [walk, attack], [idle]],
    ['none', { clips: [] }, [], [idle, walk, attack]],
    ['those that a controller needs', { controller: walker }, [walk, attack], [idle]],
    ['those and others', { controller: walker, clips: ['idle'] }, [idle, walk, attack], undefined],
    ['each of them once', { controller: walker, clips: ['attack'] }, [attack, walk], [idle]],
  ])('are %s', (_, options, names, unpacked) => {
    expect(packed(options)).toEqual([names, unpacked]);
  });

  test('of one name are the first', () => {
    const twice = { ...model, clips: [...model.clips, { ...model.clips[2]!, name: 'idle' }] };
    const named = packCharacter(twice, { clips: ['idle'] });
    expect(named.clips.map(({ duration }) => duration)).toEqual([1]);
    expect(named.unpackedClips).toEqual(['walk', 'attack', 'idle']);
    const later = { ...model, clips: [...model.clips, { ...model.clips[0]!, name: 'walk' }] };
    expect(packCharacter(later, { controller: walker }).unpackedClips).toEqual(['idle', 'walk']);
  });

  test.each([['fly'], [3], [-1], [0.5]])('are refused where there is no %j', (missing) => {
    const thrown = thrownBy(() => packCharacter(model, { clips: ['walk', missing, 'swim'] }));
    expect(thrown.code).toBe('CLIP_NOT_FOUND');
    expect(thrown.issues).toHaveLength(2);
    expect(thrown.message).toContain(JSON.stringify(missing));
    expect(thrown.message).toContain('idle, walk, attack');
  });

  test('are a list or a function', () => {
    const wrong = 'walk' as unknown as string[];
    expect(thrownBy(() => packCharacter(model, { clips: wrong })).message).toMatch(/^CROWD_BAD_ARGUMENT .*"walk"/);
  });

  test('that were left out cannot play, which the error explains, for baked characters too', () => {
    const walking = packCharacter(model, { clips: ['walk'] });
    for (const character of [walking, readBaked(writeBaked(walking))]) {
      const crowd = createCrowd(undefined, { characters: [character], capacity: 1, backend: 'cpu' });
      const group = crowd.spawn(character);
      group.play('walk');
      expect(thrownBy(() => group.play('idle')).message).toMatch(/^CLIP_NOT_FOUND .*without the clip "idle".*`clips`/);
      expect(thrownBy(() => group.play('fly')).message).not.toContain('`clips`');
      crowd.destroy();
    }
  });
});
