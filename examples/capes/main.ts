// Legionaries march in circles, and their capes swing after them. Press anywhere: the capes hang still until you let go.
// In your own project, import from 'maniple', 'maniple/character' and 'maniple/import'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { checkProviders, createCrowd } from '../../src/index.ts';
import { createView, run } from '../page.ts';
import { swing } from './swing.ts';

const COUNT = 24;

/** Creates a square texture of random gusts, which the wind carries over the field. */
function gustsOf(device: GPUDevice): GPUTextureView {
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
  const texture = device.createTexture({ size: [16, 16], format: 'r8unorm', usage });
  const texels = Uint8Array.from({ length: 256 }, () => Math.random() * 256);
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: 16 }, [16, 16]);
  return texture.createView();
}

run(async (page) => {
  const { device, canvas } = page;
  const providers = [swing];
  await checkProviders(device, providers);
  const legionary = packCharacter(await loadModel('/characters/legionary.glb'), {
    providers: ({ nodeName }) => (nodeName === 'Cape' ? 0b1 : 0),
  });
  const crowd = await createCrowd(device, {
    characters: [legionary],
    capacity: COUNT,
    providers,
    // the page's buffers, textures and samplers; setProviderResources binds others later
    providerResources: { swing: { gusts: gustsOf(device) } },
  });
  crowd.setProviderRows('swing', Float32Array.of(60, 5, 0.22, 1.4));
  const legion = crowd.spawn(legionary, { count: COUNT });
  legion.setProviderRows('swing', 1, (i, rows) => rows.set([0.8 + 0.05 * (i % 8), 0, 0, 0]));
  legion.hideParts('Pilum');
  legion.setClips((i) => [{ clip: 'run', phase: i / COUNT, speed: 0.9 }]);
  // the views that run a provider can change in every frame; here: none while pressed
  canvas.addEventListener('pointerdown', () => crowd.setProviderViews('swing', 0));
  addEventListener('pointerup', () => crowd.setProviderViews('swing', 0xffffffff));

  const view = await createView(page, crowd, { min: [-7, 0, -7], max: [7, 2.5, 7] });
  page.everyFrame((dt, time) => {
    legion.setTransform((i, at) => {
      const [radius, way] = [2.5 + 1.2 * (i % 3), i % 2 === 0 ? 1 : -1];
      const turn = (way * time * 3) / radius + (2 * Math.PI * i) / COUNT;
      at.position.set(radius * Math.cos(turn), 0, radius * Math.sin(turn));
      // along the circle
      const heading = way > 0 ? -turn : Math.PI - turn;
      at.rotation.set(0, Math.sin(heading / 2), 0, Math.cos(heading / 2));
    });
    view.draw(dt, { eye: [0, 4.5, 9], target: [0, 0.6, 0] });
  });
});
