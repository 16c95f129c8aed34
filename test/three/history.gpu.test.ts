// Motion vectors of three.js where a character has no history, and where the crowd's origin moves.
import { describe, expect, test } from 'vitest';
import { BoxGeometry, type Group as SceneGroup, MeshBasicMaterial, PerspectiveCamera, Scene } from 'three/webgpu';
import { mrt, output, velocity } from 'three/tsl';
import { addSockets } from '../../src/character/sockets.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { packCharacter } from '../../src/character/index.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import { noGpu } from '../support/gpu.ts';
import { soldierModel } from '../support/soldiers.ts';
import { browserFrame, floatTarget, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [192, 96];
const DT = 1 / 20;
/** Pixels: what stands still, and what moves a twentieth of a metre. */
const [STILL, MOVES, FAR] = [0.02, 0.2, 4];

describe.skipIf(noGpu())('motion vectors in three.js', () => {
  test('are 0 for a character that teleports, and for its attachments', { timeout: 120_000 }, async () => {
    const renderer = await threeRenderer(WIDTH, HEIGHT);
    const soldier = addSockets(packCharacter(soldierModel(), { errorBudget: 0 }), [1]);
    const crowd = await ManipleCrowd.create(renderer, { characters: [soldier], capacity: 4 });
    // the left half of the picture is one's, the right half the other one's
    const xs = [-2, 1.5];
    const { ids } = crowd.spawn(soldier, { count: 2, place: (i, at) => at.position.set(xs[i]!, 0, i === 0 ? -50 : 0) });
    for (const id of ids) crowd.core.play(id, 0);
    const head = crowd.attachMesh(ids, 1, new BoxGeometry(0.4, 0.4, 0.4), new MeshBasicMaterial());
    const scene = new Scene();
    scene.add(crowd as unknown as SceneGroup);
    const camera = new PerspectiveCamera(35, WIDTH / HEIGHT, 0.1, 100);
    camera.position.set(0, 1, 9);
    camera.updateMatrixWorld();
    const target = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
    renderer.setMRT(mrt({ output, velocity }));

    /** The longest motion vector of each half, in pixels. */
    const motions = async (): Promise<number[]> => {
      crowd.update(DT, { cameras: [camera] });
      browserFrame();
      renderer.setRenderTarget(target);
      renderer.render(scene, camera);
      const pixels = await renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT, 1);
      const longest = [0, 0];
      for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
        const half = pixel % WIDTH < WIDTH / 2 ? 0 : 1;
        const [x, y] = [pixels[4 * pixel]!, pixels[4 * pixel + 1]!];
        longest[half] = Math.max(longest[half]!, Math.hypot((x * WIDTH) / 2, (y * HEIGHT) / 2));
      }
      return longest;
    };
    const expectMotions = async (...expected: readonly ('still' | 'moves')[]) => {
      const told = (await motions()).map((length) =>
        length < STILL ? 'still' : length > MOVES && length < FAR ? 'moves' : length,
      );
      expect(told).toEqual(expected);
    };
    const teleport = (id: number, z: number) => crowd.core.teleport(ids[id]!, (at) => at.position.set(xs[id]!, 0, z));

    // slots have one copy until a shader with motion vectors is built
    const copies = () => internalsOf(crowd.core).host.shape.classes.copies;
    renderer.setMRT(null);
    crowd.update(DT, { cameras: [camera] });
    renderer.setMRT(mrt({ output, velocity }));
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.setMRT(null);
    expect(copies()).toBe(1);
    crowd.update(DT, { cameras: [camera] });
    expect(copies()).toBe(2);
    renderer.setMRT(mrt({ output, velocity }));
    await motions();
    await motions();
    teleport(0, 0);
    await expectMotions('still', 'moves');
    await expectMotions('moves', 'moves');
    teleport(1, 1);
    await expectMotions('moves', 'still');
    // the crowd stays where it is in the scene
    crowd.position.fromArray(crowd.core.moveOrigin([300, 0, -200]));
    await expectMotions('moves', 'moves');
    crowd.position.fromArray(crowd.core.moveOrigin([0, 0, 0]));
    teleport(0, -1);
    await expectMotions('still', 'moves');
    // what hides while no view sees it comes back without motion but that of its character
    head.dispose();
    crowd.attachMesh(ids, 1, new BoxGeometry(0.4, 0.4, 0.4), new MeshBasicMaterial(), { whenCulled: 'hide' });
    teleport(0, 60);
    await motions();
    teleport(0, 0);
    await expectMotions('still', 'moves');
    crowd.dispose();
    await renderer.dispose();
  });
});
