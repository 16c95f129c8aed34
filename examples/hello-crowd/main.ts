// Sixty legionaries on a canvas. In your own project, import from 'maniple', 'maniple/character',
// 'maniple/import' and 'maniple/render'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { createCrowd, requestDevice } from '../../src/index.ts';
import { createCanvasTarget, createForwardRenderer } from '../../src/render/index.ts';

const COUNT = 60;
const COLUMNS = 10;
const STEP = 1.4; // metres from one to the next

const canvas = document.querySelector('canvas')!;
const message = document.querySelector('p')!;

async function main(): Promise<void> {
  // Throws if the browser has no WebGPU. The message lists browsers that have it.
  const { device, kind, lost } = await requestDevice();
  let running = true;
  void lost.then((issue) => {
    running = false;
    say(issue.message);
  });

  // Any rigged glTF file will do.
  const legionary = packCharacter(await loadModel('/characters/legionary.glb'));

  const crowd = await createCrowd(device, { characters: [legionary], capacity: COUNT });
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * STEP, 0, -Math.floor(i / COLUMNS) * STEP),
  });
  legion.hideParts('Pilum'); // the file has every weapon; here they carry swords
  // The first rank is on guard. The others march, each slightly out of step with its neighbours.
  legion.setClips((i) => (i < COLUMNS ? [{ clip: 'block_idle', phase: i / 7 }] : [{ clip: 'walk', phase: i / 11 }]));

  const target = createCanvasTarget(device, canvas);
  const renderer = await createForwardRenderer(device, crowd, {
    format: target.format,
    cascadeCount: 1,
    // cheaper settings for drawing on the CPU
    ...(kind === 'software' && { sampleCount: 1, shadowResolution: 512 }),
  });
  message.remove();

  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    const dt = Math.min(Math.max(now - last, 0) / 1000, 0.1); // a page in the background gets no frames for a while
    last = now;
    target.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);

    // One command buffer: animate and skin the crowd, then draw it.
    const encoder = device.createCommandEncoder();
    const animated = crowd.encode(encoder, { dt });
    const drawn = renderer.render(encoder, {
      camera: { eye: [8 * Math.sin(now / 9000), 3.5, 9], target: [0, 0.9, -5] },
      bounds: { min: [-9, 0, -30], max: [9, 2.5, 3] }, // what casts shadows
      target: target.view(),
      width: target.width,
      height: target.height,
    });
    device.queue.submit([encoder.finish()]);
    // These fail only when the device is lost, which is already reported.
    animated.submitted().catch(() => {});
    drawn.submitted().catch(() => {});
    if (running) requestAnimationFrame(frame);
  });
}

function say(text: string): void {
  message.textContent = text;
  document.body.append(message);
}

main().catch((thrown: unknown) => say(thrown instanceof Error ? thrown.message : String(thrown)));
