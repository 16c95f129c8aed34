// Thirty motionless legionaries: a wind by instance id moves their capes. In your own project, import from
// 'maniple', 'maniple/character', 'maniple/import' and 'maniple/render'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { checkProviders, createCrowd, requestDevice } from '../../src/index.ts';
import { createCanvasTarget, createForwardRenderer } from '../../src/render/index.ts';
import { wind } from './wind.ts';

const COUNT = 30;
const COLUMNS = 10;

const canvas = document.querySelector('canvas')!;
const message = document.querySelector('p')!;

async function main(): Promise<void> {
  const { device, kind } = await requestDevice();
  const providers = [wind];
  // Reports WGSL errors with their line in the provider's own text. Without this call they would be silent.
  await checkProviders(device, providers);

  // Bit 0 is the first provider in the list.
  const legionary = packCharacter(await loadModel('/characters/legionary.glb'), {
    providers: ({ nodeName }) => (nodeName === 'Cape' ? 0b1 : 0),
  });
  const crowd = await createCrowd(device, { characters: [legionary], capacity: COUNT, providers });
  // The wind blows sideways and away from their backs, 45 cm for every metre below the shoulders at 1.4 m.
  crowd.setProviderRows('wind', Float32Array.of(0.6, 0, -0.8, 0.45, 1.4, 0, 0, 0));
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => {
      at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.2, 0, -Math.floor(i / COLUMNS) * 1.6);
      at.rotation.set(0, 1, 0, 0); // their backs to the camera
    },
  });
  legion.hideParts('Pilum');
  legion.setClips(() => [{ clip: 'block_idle', speed: 0 }]); // only the wind moves anything

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
    const dt = Math.min(Math.max(now - last, 0) / 1000, 0.1);
    last = now;
    target.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
    const encoder = device.createCommandEncoder();
    const animated = crowd.encode(encoder, { dt });
    const drawn = renderer.render(encoder, {
      camera: { eye: [0, 1.7, 5], target: [0, 0.9, 0] },
      bounds: { min: [-7, 0, -5], max: [7, 2.5, 2] }, // bounds of the shadow casters
      target: target.view(),
      width: target.width,
      height: target.height,
    });
    device.queue.submit([encoder.finish()]);
    animated.submitted().catch(say);
    drawn.submitted().catch(say);
    requestAnimationFrame(frame);
  });
}

function say(thrown: unknown): void {
  message.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  document.body.append(message);
}

main().catch(say);
