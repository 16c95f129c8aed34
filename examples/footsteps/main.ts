// Dust where feet touch the ground: clips have events, and each event adds a puff. In your own project, import
// from 'maniple', 'maniple/character', 'maniple/import' and 'maniple/render'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { addSockets, createCrowd } from '../../src/index.ts';
import { defineController, param } from '../../src/controller/index.ts';
import { createCanvasTarget, createVisibilityRenderer } from '../../src/render/index.ts';
import { run } from '../page.ts';
import { createDust } from './dust.ts';

const COUNT = 60;
const COLUMNS = 6;
const SPEED = 1.4; // metres per second over the ground in 'walk'
const FIELD = 24; // metres, after which they start again

const marcher = defineController({
  name: 'marcher',
  parameters: { phase: param.float() },
  layers: [
    {
      name: 'Body',
      machine: { default: 'March', states: { March: { motion: 'walk', cycleOffsetParameter: 'phase' } } },
    },
  ],
  // Event times in the clip: the left foot lands at its beginning, the right one in the middle.
  clips: {
    walk: {
      events: [
        { name: 'step', time: 0, text: 'left' },
        { name: 'step', time: 0.5, text: 'right' },
      ],
    },
  },
});

run(async (page) => {
  const packed = packCharacter(await loadModel('/characters/legionary.glb'), { controller: marcher });
  const legionary = addSockets(packed, ['toe_l', 'toe_r']);
  const crowd = await createCrowd(page.device, { characters: [legionary], capacity: COUNT });
  const depths = Array.from({ length: COUNT }, (_, i) => (-Math.floor(i / COLUMNS) * FIELD) / (COUNT / COLUMNS));
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.5, 0, depths[i]!),
  });
  legion.hideParts('Gladius');
  const phase = legion.parameter('phase');
  legion.ids.forEach((_, i) => phase.set(i, i / 7));

  // Nothing is drawn at the feet. Each attachment has a row of socketMatrices, which holds the position of the foot.
  const feet = { left: legion.attach('toe_l'), right: legion.attach('toe_r') };
  const indexOf = new Map(legion.ids.map((id, i) => [id, i]));
  let steps: number[] = [];
  // Every event arrives exactly once, a few frames late. The foot is still where it landed.
  crowd.on('event', ({ text, character }) => {
    const { indices } = text === 'left' ? feet.left : feet.right;
    steps.push(indices[indexOf.get(character)!]!);
  });

  // This renderer also writes the depth of every pixel, which the dust needs.
  const target = createCanvasTarget(page.device, page.canvas);
  const renderer = await createVisibilityRenderer(page.device, crowd, {
    format: target.format,
    cascadeCount: 1,
    sampleCount: page.isSoftware ? 1 : 4,
    shadowResolution: page.isSoftware ? 512 : 2048,
  });
  const dust = createDust(page.device, target.format);
  let depth: GPUTexture | undefined;
  page.ready();

  page.everyFrame((dt, time) => {
    for (let i = 0; i < COUNT; i++) depths[i]! += SPEED * dt;
    legion.setTransform((i, at) => (at.position.z = depths[i]!));
    // Legionaries at the front start again at the end. `teleport` moves them without motion vectors.
    const front = [...depths.keys()].filter((i) => depths[i]! > 3);
    legion.teleport((i, at) => (at.position.z = depths[i]! -= FIELD), front);

    target.resize(page.canvas.clientWidth, page.canvas.clientHeight, devicePixelRatio);
    const { width, height } = target;
    if (depth?.width !== width || depth.height !== height) {
      depth?.destroy();
      const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING;
      depth = page.device.createTexture({ size: [width, height], format: 'r32float', usage });
    }
    const camera = { eye: [3 + 2 * Math.sin(time / 5), 1.7, 6], target: [0, 0.5, -2] } as const;
    const bounds = { min: [-6, 0, -FIELD], max: [6, 2.5, 6] } as const;
    const scene = { groundColor: [0.2, 0.15, 0.08] } as const; // bare earth, on which dust shows
    const picture = target.view();
    const encoder = page.device.createCommandEncoder();
    const animated = crowd.encode(encoder, { dt });
    const drawn = renderer.render(encoder, {
      camera,
      bounds,
      target: picture,
      width,
      height,
      lighting: scene,
      depth: depth.createView(),
    });
    // Copies 16 bytes from the foot's matrix to each puff. The CPU never has the position.
    for (const row of steps) dust.puff(encoder, crowd.socketMatrices!, row, crowd.time);
    steps = [];
    dust.draw(encoder, picture, depth, camera, crowd.time);
    page.device.queue.submit([encoder.finish()]);
    animated.submitted().catch(() => {});
    drawn.submitted().catch(() => {});
  });
});
