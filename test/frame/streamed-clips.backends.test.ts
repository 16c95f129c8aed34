// Clips load one by one while a crowd plays.
import { expect, test } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { readBakedStream } from '../../src/character/file/read-stream.ts';
import { sectionPlaces } from '../format/damage.ts';
import { describeBackends } from '../support/backends.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { manyClipsCharacter, Tap } from '../support/streamed-character.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const packed = manyClipsCharacter(20);
const file = writeBaked(packed, { first: ['clip 5'] });
const places = sectionPlaces(file).filter(({ kind }) => kind === 'CLIP');
const clipBytes = packed.clips.reduce((sum, { bytes }) => sum + bytes, 0);

describeBackends('clips that load one by one', (backend) => {
  const create = (character: typeof packed) =>
    createCrowd(backend.device, { characters: [character], capacity: 2, backend: backend.name });

  test('a character moves before a tenth of its clips are there, and plays all of them as if loaded at once', async () => {
    const tap = new Tap(file);
    await tap.openTo(places[0]!.offset);
    const character = await readBakedStream(tap.next, file.length);
    // what has arrived of the clips is the first one
    expect(packed.clips.find(({ name }) => name === 'clip 5')!.bytes).toBeLessThan(clipBytes / 10);
    expect(character.arrivals!.pending).toHaveLength(packed.clips.length - 1);

    const crowd = create(character);
    const group = crowd.spawn(character, { count: 2 });
    group.play('clip 5', {}, [0]);
    group.play('clip 2', {}, [1]);
    const poses = async (dt: number) => {
      await updateAndWait(crowd, { dt });
      return [await crowd.readVertices(group.ids[0]!), await crowd.readVertices(group.ids[1]!)];
    };
    const [moving, waiting] = await poses(0);
    const [moved, rested] = await poses(0.31);
    const farthest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
    expect(farthest(moving!, moved!)).toBeGreaterThan(0.01);
    expect(farthest(waiting!, rested!)).toBe(0);
    expect((await crowd.readStats()).pendingClips).toBe(packed.clips.length - 1);

    // the clip that plays arrives: from the next frame on it moves its character
    await tap.openTo(places[2]!.offset + places[2]!.length);
    expect(character.arrivals!.pending).not.toContain('clip 2');
    const [, arrived] = await poses(0.1);
    expect(farthest(rested!, arrived!)).toBeGreaterThan(0.01);

    await tap.openTo(file.length);
    await character.arrivals!.ready;
    const whole = readBaked(file);
    const twin = create(whole);
    const others = twin.spawn(whole, { count: 2 });
    for (const clip of packed.clips.keys()) {
      for (const each of [group, others]) each.play(clip, { phase: 0.37, speed: 0 }, [0]);
      await updateAndWait(crowd, { dt: 0 });
      await updateAndWait(twin, { dt: 0 });
      expect(await crowd.readVertices(group.ids[0]!)).toEqual(await twin.readVertices(others.ids[0]!));
    }
    expect((await crowd.readStats()).pendingClips).toBeUndefined();
    crowd.destroy();
    twin.destroy();
  });
});
