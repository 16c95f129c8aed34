// Your own pass over a three.js scene: a point for each vertex of the crowd, over the picture of three.js. In your own project,
// import from 'maniple/three' and 'maniple/render'.
import {
  Color,
  DirectionalLight,
  HemisphereLight,
  Matrix4,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  Timer,
  WebGPURenderer,
} from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';
import { run } from '../page.ts';
import { createPoints } from '../points/points.ts';

const COUNT = 40;
const COLUMNS = 10;

run(async (page) => {
  const { canvas, device } = page;
  const renderer = new WebGPURenderer({ canvas, device, antialias: false });
  await renderer.init();
  const scene = new Scene();
  scene.background = new Color('#06080f');
  const sun = new DirectionalLight('#fff2dc', 1.5);
  sun.position.set(6, 12, 10);
  scene.add(sun, new HemisphereLight('#9fb4ff', '#40342a', 0.3));

  const legionary = characterFromGltf(await new GLTFLoader().loadAsync('/characters/legionary.glb'));
  const dark = new MeshStandardMaterial({ color: '#30333c' });
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [legionary],
    capacity: COUNT,
    materials: () => dark,
  });
  scene.add(crowd);
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.4, 0, -Math.floor(i / COLUMNS) * 1.8),
  });
  legion.setClips((i) => [{ clip: 'walk', phase: i / 7 }]);

  // three.js and the pass draw on one canvas, with one device.
  const context = canvas.getContext('webgpu')!;
  const points = createPoints(device, crowd.core, navigator.gpu.getPreferredCanvasFormat());
  const camera = new PerspectiveCamera(42, 1, 0.1, 200);
  const timer = new Timer();
  page.ready();
  await renderer.setAnimationLoop((now) => {
    timer.update();
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
    camera.aspect = canvas.clientWidth / canvas.clientHeight;
    camera.updateProjectionMatrix();
    camera.position.set(5 * Math.sin(now / 7000), 2.6, 8);
    camera.lookAt(0, 0.8, -2);
    const dt = Math.min(timer.getDelta(), 0.1);
    crowd.update(dt);
    renderer.render(scene, camera);
    // from the crowd's space to clip space: characters are placed in the crowd's space
    const clipFromCrowd = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    clipFromCrowd.multiply(crowd.matrixWorld);
    const encoder = device.createCommandEncoder();
    points.draw(encoder, context.getCurrentTexture().createView(), clipFromCrowd.elements, dt, false);
    device.queue.submit([encoder.finish()]);
  });
});
