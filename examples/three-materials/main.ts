// A crowd with the page's own materials: toon shading, clear coat, and nodes that read the character's id. In your own project,
// import from 'maniple/three'.
import {
  CircleGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshStandardNodeMaterial,
  MeshToonMaterial,
  PerspectiveCamera,
  Scene,
  Timer,
  WebGPURenderer,
} from 'three/webgpu';
import { cos, sin, time, vec3, vertexColor } from 'three/tsl';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { characterFromGltf, crowdId, crowdTint, ManipleCrowd } from '../../src/three/index.ts';
import { runInThree } from '../page.ts';

const COUNT = 60;
const COLUMNS = 12;

runInThree(async (page) => {
  const { canvas, device } = page;
  const renderer = new WebGPURenderer({ canvas, device, forceWebGL: !device, antialias: !page.isSoftware });
  await renderer.init();
  renderer.shadowMap.enabled = true;

  const scene = new Scene();
  scene.background = new Color('#20242c');
  scene.add(new HemisphereLight('#9fb4ff', '#40342a', 1.2));
  const sun = new DirectionalLight('#fff2dc', 3.5);
  sun.position.set(6, 12, 10);
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(page.isSoftware ? 512 : 2048);
  Object.assign(sun.shadow.camera, { left: -12, right: 12, top: 10, bottom: -10, far: 40 });
  const floor = new MeshStandardMaterial({ color: '#4a4540', roughness: 0.9 });
  const ground = new Mesh(new CircleGeometry(60, 48).rotateX(-Math.PI / 2), floor);
  ground.receiveShadow = true;
  scene.add(sun, ground);

  // Unchanged three.js materials: the file stores its colours in vertices.
  const metal = new MeshPhysicalMaterial({ vertexColors: true, metalness: 0.6, roughness: 0.3, clearcoat: 1 });
  const cloth = new MeshToonMaterial({ vertexColors: true });

  // Each shield glows in its own rhythm: crowdId is the number of the character.
  const shield = new MeshStandardNodeMaterial({ roughness: 0.5 });
  shield.colorNode = vertexColor();
  const beat = sin(time.mul(2.5).add(crowdId.toFloat().mul(0.7))).max(0);
  shield.emissiveNode = vec3(1, 0.35, 0.05).mul(beat.pow(3)).mul(0.9);

  // Cape colours vary from left to right. crowdTint is the tint that the page has set (setTint), white by default.
  const cape = new MeshStandardNodeMaterial({ roughness: 0.8 });
  const hue = crowdId
    .mod(COLUMNS)
    .toFloat()
    .mul((2 * Math.PI) / COLUMNS)
    .add(time.mul(0.4));
  cape.colorNode = cos(vec3(0, 2.1, 4.2).add(hue))
    .mul(0.4)
    .add(0.5)
    .mul(crowdTint.rgb);

  const legionary = characterFromGltf(await new GLTFLoader().loadAsync('/characters/legionary.glb'));
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [legionary],
    capacity: COUNT,
    // Called once for each primitive, with the material that three has loaded for it.
    materials: (loaded, _, { nodeName }) => {
      if (nodeName.startsWith('Shield')) return shield;
      if (nodeName === 'Cape') return cape;
      return loaded.name === 'Metal' ? metal : cloth;
    },
  });
  scene.add(crowd);
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => {
      at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.3, 0, -Math.floor(i / COLUMNS) * 1.5);
      at.rotation.setYaw(i % 2 === 0 ? 0.5 : Math.PI - 0.5); // every second legionary shows his cape
    },
  });
  legion.hideParts('Pilum');
  legion.setClips((i) => [{ clip: i % 2 === 0 ? 'block_idle' : 'idle', phase: i / 7 }]);
  legion.setTint([0.5, 0.5, 0.6, 1], [...legion.ids.keys()].slice(COUNT / 2)); // the rear half, slightly darker

  const camera = new PerspectiveCamera(42, 1, 0.1, 200);
  const timer = new Timer();
  page.ready();
  await renderer.setAnimationLoop((now) => {
    timer.update();
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
    camera.aspect = canvas.clientWidth / canvas.clientHeight;
    camera.updateProjectionMatrix();
    camera.position.set(5 * Math.sin(now / 7000), 3.2, 8.5);
    camera.lookAt(0, 0.8, -2);
    metal.roughness = 0.3 + 0.2 * Math.sin(now / 1500); // changes to a material take effect
    crowd.update(Math.min(timer.getDelta(), 0.1));
    renderer.render(scene, camera);
  });
});
