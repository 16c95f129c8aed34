/** @jsxImportSource react */
import { useFrame, useLoader, useThree } from '@react-three/fiber';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { WebGPURenderer } from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { CharacterGroup } from '../../src/index.ts';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';

const COLUMNS = 10;

interface LegionProps {
  readonly url: string;
  readonly count: number;
  /** Clip that all of them play. */
  readonly clip: string;
}

/** A crowd as a component: created on mount, disposed of on unmount, updated when its props change. */
export function Legion({ url, count, clip }: LegionProps): ReactNode {
  const renderer = useThree(({ gl }) => gl as unknown as WebGPURenderer);
  const gltf = useLoader(GLTFLoader, url);
  const legionary = useMemo(() => characterFromGltf(gltf), [gltf]);
  const [legion, setLegion] = useState<{ readonly crowd: ManipleCrowd; readonly group: CharacterGroup }>();
  const [failure, setFailure] = useState<unknown>();

  // An effect, not a memo: React may discard memos, and a crowd holds GPU memory.
  useEffect(() => {
    const created = ManipleCrowd.create(renderer, { characters: [legionary], capacity: count });
    let isMounted = true;
    created.then((crowd) => {
      if (!isMounted) return;
      const group = crowd.spawn(legionary, {
        count,
        place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.4, 0, -Math.floor(i / COLUMNS) * 1.4),
      });
      group.hideParts('Pilum');
      setLegion({ crowd, group });
    }, setFailure);
    return () => {
      isMounted = false;
      setLegion(undefined);
      created.then((crowd) => crowd.dispose()).catch(() => undefined);
    };
  }, [renderer, legionary, count]);

  // Changes the clip of one character after another, as an order travels.
  useEffect(() => {
    const timers = legion?.group.ids.map((id, i) =>
      setTimeout(() => {
        if (legion.crowd.isAlive(id)) legion.crowd.play(id, clip, { fade: 0.3, phase: i / 11 });
      }, 25 * i),
    );
    return () => timers?.forEach(clearTimeout);
  }, [legion, clip]);

  // Runs before react-three-fiber draws the frame.
  useFrame((_, dt) => legion?.crowd.update(Math.min(dt, 0.1)));

  if (failure !== undefined) throw failure; // to the nearest error boundary
  return legion && <primitive object={legion.crowd} />;
}
