/** @jsxImportSource react */
// Sixty legionaries in a react-three-fiber scene. In your own project, import from 'maniple' and 'maniple/three'.
import { Canvas, useFrame } from '@react-three/fiber';
import { type ReactNode, StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { WebGPURenderer } from 'three/webgpu';
import { runInThree, type ThreePage } from '../page.ts';
import { Legion } from './legion.tsx';

/** Swings the camera from side to side. */
function Swing(): null {
  useFrame(({ camera, clock }) => {
    camera.position.set(8 * Math.sin(clock.elapsedTime / 9), 3.5, 9);
    camera.lookAt(0, 0.9, -4);
  });
  return null;
}

function Scene({ clip }: { readonly clip: string }): ReactNode {
  return (
    <>
      <color attach="background" args={['#cfd6dc']} />
      <fog attach="fog" args={['#cfd6dc', 25, 80]} />
      <hemisphereLight args={['#dfe8ff', '#6b6146', 1.8]} />
      <directionalLight position={[10, 14, 8]} intensity={3} castShadow shadow-mapSize={[1024, 1024]}>
        <orthographicCamera attach="shadow-camera" args={[-12, 12, 12, -12, 0.5, 50]} />
      </directionalLight>
      <mesh rotation-x={-Math.PI / 2} receiveShadow>
        <circleGeometry args={[120, 48]} />
        <meshStandardMaterial color="#a89a74" roughness={1} />
      </mesh>
      <Legion url="/characters/legionary.glb" count={60} clip={clip} />
      <Swing />
    </>
  );
}

const CLIPS = ['walk', 'run', 'cheer', 'block_idle'];

function App({ device, isSoftware }: Pick<ThreePage, 'device' | 'isSoftware'>): ReactNode {
  const [clip, setClip] = useState('walk');
  return (
    <>
      <Canvas
        shadows
        camera={{ fov: 40 }}
        // A renderer that draws with WebGPU, or else with WebGL 2; react-three-fiber waits until it is ready.
        gl={async ({ canvas }) => {
          const options = { canvas: canvas as HTMLCanvasElement, antialias: !isSoftware };
          const renderer = new WebGPURenderer({ ...options, device, forceWebGL: !device });
          await renderer.init();
          return renderer;
        }}
      >
        <Suspense fallback={null}>
          <Scene clip={clip} />
        </Suspense>
      </Canvas>
      <nav>
        {CLIPS.map((name) => (
          <button key={name} type="button" disabled={name === clip} onClick={() => setClip(name)}>
            {name}
          </button>
        ))}
      </nav>
    </>
  );
}

runInThree(async (page) => {
  page.ready();
  createRoot(document.querySelector('#root')!).render(
    <StrictMode>
      <App device={page.device} isSoftware={page.isSoftware} />
    </StrictMode>,
  );
});
