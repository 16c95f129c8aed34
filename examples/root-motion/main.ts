// Sixty legionaries walk in rings around a standard, moved only by their clips. The page reads their positions and steers them
// left or right. In your own project, import from 'maniple', 'maniple/character', 'maniple/import' and
// 'maniple/render'.
import { type ClipModel, packCharacter } from '../../src/character/index.ts';
import { packScenery } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { blend1d, defineController, param } from '../../src/controller/index.ts';
import { createCrowd } from '../../src/index.ts';
import { createScenery } from '../../src/render/index.ts';
import { createView, run } from '../page.ts';

const COUNT = 60;
const WAY = 1.3; // metres that one cycle of 'walk' covers
const BEND = Math.PI / 4; // radians that one cycle of the curved clips turns

/**
 * Makes a clip that moves the whole character along an arc. These files walk on the spot. If your clips walk away,
 * `extractRootMotion(model, clip, { joint: 'Hips' })` removes that motion from the skeleton and converts it to such a `root`.
 */
function walking(clip: ClipModel, name: string, turn: number): ClipModel {
  const steps = Array.from({ length: 9 }, (_, i) => i / 8);
  const angles = steps.map((step) => step * turn);
  const radius = turn === 0 ? 0 : WAY / turn;
  return {
    ...clip,
    name,
    root: {
      times: Float32Array.from(steps, (step) => step * clip.duration),
      positions: Float32Array.from(
        angles.flatMap((a, i) =>
          turn === 0 ? [0, 0, WAY * steps[i]!] : [radius * (1 - Math.cos(a)), 0, radius * Math.sin(a)],
        ),
      ),
      rotations: Float32Array.from(angles.flatMap((a) => [0, Math.sin(a / 2), 0, Math.cos(a / 2)])),
    },
  };
}

// Halfway between two clips the curve is half as sharp: root motion is blended like poses.
const walker = defineController({
  name: 'walker',
  parameters: { turn: param.float(), pace: param.float(1) },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Walk',
        states: {
          Walk: {
            motion: blend1d('turn', [-1, 'walk_right'], [0, 'walk_ahead'], [1, 'walk_left']),
            speedParameter: 'pace',
          },
        },
      },
    },
  ],
});

run(async (page) => {
  const [model, standard] = await Promise.all(
    ['/characters/legionary.glb', '/props/vexillum.glb'].map((url) => loadModel(url)),
  );
  const walk = model!.clips.find(({ name }) => name === 'walk')!;
  const clips = [walking(walk, 'walk_ahead', 0), walking(walk, 'walk_left', BEND), walking(walk, 'walk_right', -BEND)];
  const legionary = packCharacter({ ...model!, clips }, { controller: walker });
  const crowd = await createCrowd(page.device, { characters: [legionary], capacity: COUNT });

  // Random initial positions and directions.
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => {
      at.position.set(
        8 * Math.sin(i * 2.4) * Math.sqrt((i + 9) / COUNT),
        0,
        8 * Math.cos(i * 2.4) * Math.sqrt((i + 9) / COUNT),
      );
      at.rotation.setYaw(i * 1.7);
    },
  });
  legion.hideParts('Pilum');
  const [turn, pace] = [legion.parameter('turn'), legion.parameter('pace')];
  legion.ids.forEach((_, i) => pace.set(i, 0.9 + (i % 5) / 20));

  // Only the GPU has their positions. They are read repeatedly. Answers take a few frames and block nothing.
  async function steer(): Promise<void> {
    const places = await crowd.readTransforms(legion.ids);
    places.forEach(({ position: { x, z }, rotation }, i) => {
      const radius = 3 + 2.2 * (i % 3);
      const way = i % 3 === 1 ? -1 : 1; // the middle ring walks in the opposite direction
      // Steers along the ring, and more towards it with growing distance.
      const off = Math.atan((Math.hypot(x, z) - radius) / 1.5);
      const wanted = Math.atan2(x, z) + way * (Math.PI / 2 + off);
      const yaw = 2 * Math.atan2(rotation.y, rotation.w);
      const by = Math.atan2(Math.sin(wanted - yaw), Math.cos(wanted - yaw)); // the shorter way round
      turn.values[i] = Math.max(-1, Math.min(1, 2 * by + (way * WAY) / radius / BEND));
    });
    turn.changed();
    setTimeout(() => void steer().catch(() => {}), 100);
  }

  const piece = {
    character: packScenery(standard!),
    places: [{ position: [0, 0, 0], rotation: [0, 0, 0, 1], scale: 1 }],
  } as const;
  const view = await createView(
    page,
    crowd,
    { min: [-10, 0, -10], max: [10, 3.5, 10] },
    createScenery(page.device, [piece]),
  );
  void steer().catch(() => {}); // fails if the device is lost, which the page reports
  page.everyFrame((dt, time) => {
    view.draw(dt, { eye: [13 * Math.sin(time / 15), 7, 13 * Math.cos(time / 15)], target: [0, 0.5, 0] });
  });
});
