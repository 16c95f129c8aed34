import { View } from '../../layout/index.ts';
import type { Matrix4, Vector } from '../camera.ts';
import { Cascade, FrameUniforms } from './layout.ts';

/** One view and its light, as twins of this folder read them: the fields of `FrameUniforms`, and the shadow maps. */
export interface LitFrame {
  readonly clipFromWorld: Matrix4;
  readonly previousClipFromWorld: Matrix4;
  readonly eye: Vector;
  readonly fadeDistance: number;
  readonly sunDirection: Vector;
  readonly sunColor: Vector;
  readonly exposure: number;
  readonly toneMap: number;
  readonly skyColor: Vector;
  readonly horizonColor: Vector;
  readonly groundColor: Vector;
  readonly groundHeight: number;
  readonly groundScale: number;
  readonly patternOffset: readonly [x: number, z: number];
  readonly hillHeight: number;
  readonly dustCenter: Vector;
  readonly dustReciprocal: Vector;
  readonly dustDensity: number;
  readonly dustColor: Vector;
  readonly skyRight: Vector;
  readonly skyUp: Vector;
  readonly skyForward: Vector;
  readonly pictureWidth: number;
  readonly pictureHeight: number;
  /** Texels of a shadow map each way. */
  readonly shadowResolution: number;
  readonly cascades: readonly LitCascade[];
}

export interface LitCascade {
  readonly sunFromWorld: Matrix4;
  readonly texel: number;
  readonly far: number;
  readonly depthPerMetre: number;
  /** Depths from the sun, row by row. */
  readonly map: Float32Array;
}

type FieldOf<Value> = {
  [Key in keyof LitFrame & keyof (typeof FrameUniforms)['offsets']]: LitFrame[Key] extends Value ? Key : never;
}[keyof LitFrame & keyof (typeof FrameUniforms)['offsets']];
type NumberField = FieldOf<number>;
type VectorField = Extract<FieldOf<Vector>, string>;

/**
 * @param bytes Bytes of `FrameUniforms`.
 * @param maps A shadow map per cascade.
 */
export function litFrame(bytes: Uint8Array<ArrayBuffer>, maps: readonly Float32Array[]): LitFrame {
  const view = new View(FrameUniforms, bytes.buffer, bytes.byteOffset, 1);
  const number = (key: NumberField) => view.get(0, key);
  const vector = (key: VectorField) => view.get(0, key) as unknown as Vector;
  const cascadeCount = view.get(0, 'cascadeCount');
  const rows = new View(Cascade, bytes.buffer, bytes.byteOffset + FrameUniforms.offsets.cascades, cascadeCount);
  return {
    clipFromWorld: Float32Array.from(view.get(0, 'clipFromWorld')),
    previousClipFromWorld: Float32Array.from(view.get(0, 'previousClipFromWorld')),
    eye: vector('eye'),
    fadeDistance: number('fadeDistance'),
    sunDirection: vector('sunDirection'),
    sunColor: vector('sunColor'),
    exposure: number('exposure'),
    toneMap: number('toneMap'),
    skyColor: vector('skyColor'),
    horizonColor: vector('horizonColor'),
    groundColor: vector('groundColor'),
    groundHeight: number('groundHeight'),
    groundScale: number('groundScale'),
    patternOffset: view.get(0, 'patternOffset') as unknown as readonly [number, number],
    hillHeight: number('hillHeight'),
    dustCenter: vector('dustCenter'),
    dustReciprocal: vector('dustReciprocal'),
    dustDensity: number('dustDensity'),
    dustColor: vector('dustColor'),
    skyRight: vector('skyRight'),
    skyUp: vector('skyUp'),
    skyForward: vector('skyForward'),
    pictureWidth: number('pictureWidth'),
    pictureHeight: number('pictureHeight'),
    shadowResolution: view.get(0, 'shadowResolution'),
    cascades: Array.from({ length: cascadeCount }, (_, i) => ({
      sunFromWorld: Float32Array.from(rows.get(i, 'sunFromWorld')),
      texel: rows.get(i, 'texel'),
      far: rows.get(i, 'far'),
      depthPerMetre: rows.get(i, 'depthPerMetre'),
      map: maps[i]!,
    })),
  };
}
