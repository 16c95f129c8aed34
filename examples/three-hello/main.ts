// Sixty legionaries in a three.js scene, next to a three.js box. In your own project, import from 'maniple/three'.
// examples/page.ts, which opens the device, imports from 'maniple'.
import {
  BoxGeometry,
  CircleGeometry,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  Timer,
  WebGPURenderer,
} from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';
import { runInThree } from '../page.ts';

const COUNT = 60;
const COLUMNS = 10;

runInThree(async (page) => {
  const { canvas, device } = page;
  // A device with everything that the adapter offers. A device that three creates works as well. Without WebGPU `device`
  // is undefined, and three draws with WebGL 2.
  const renderer = new WebGPURenderer({ canvas, device, forceWebGL: !device, antialias: !page.isSoftware });
  await renderer.init();
  renderer.shadowMap.enabled = true;

  const scene = new Scene();
  scene.background = new Color('#cfd6dc');
  scene.fog = new Fog('#cfd6dc', 25, 80);
  scene.add(new HemisphereLight('#dfe8ff', '#6b6146', 1.8));
  const sun = new DirectionalLight('#fff2dc', 3);
  sun.position.set(10, 14, 8);
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(page.isSoftware ? 512 : 2048);
  Object.assign(sun.shadow.camera, { left: -12, right: 12, top: 12, bottom: -12, far: 50 });
  const ground = new Mesh(
    new CircleGeometry(120, 48).rotateX(-Math.PI / 2),
    new MeshStandardMaterial({ color: '#a89a74', roughness: 1 }),
  );
  const box = new Mesh(new BoxGeometry(1, 1, 1), new MeshStandardMaterial({ color: '#6b4a2a' }));
  box.position.set(0, 0.5, 2);
  ground.receiveShadow = box.castShadow = box.receiveShadow = true;
  scene.add(sun, ground, box);

  // The result of GLTFLoader, with its materials. Any rigged file works.
  const legionary = characterFromGltf(await new GLTFLoader().loadAsync('/characters/legionary.glb'));
  const crowd = await ManipleCrowd.create(renderer, { characters: [legionary], capacity: COUNT });
  scene.add(crowd); // an ordinary object: it can be moved, hidden, put on layers
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.4, 0, -Math.floor(i / COLUMNS) * 1.4),
  });
  legion.hideParts('Pilum');
  legion.setClips((i) => [i < COLUMNS ? { clip: 'block_idle', phase: i / 7 } : { clip: 'walk', phase: i / 11 }]);

  const camera = new PerspectiveCamera(45, 1, 0.1, 200);
  const timer = new Timer();
  page.ready();
  await renderer.setAnimationLoop((now) => {
    timer.update();
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
    camera.aspect = canvas.clientWidth / canvas.clientHeight;
    camera.updateProjectionMatrix();
    camera.position.set(7 * Math.sin(now / 9000), 3, 7.5);
    camera.lookAt(0, 0.9, -4);
    // Before render: steps the crowd. Poses and skins the characters that a camera or shadow map sees.
    crowd.update(Math.min(timer.getDelta(), 0.1));
    renderer.render(scene, camera);
  });
});
