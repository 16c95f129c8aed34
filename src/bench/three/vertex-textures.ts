import {
  AnimationMixer,
  DataTexture,
  DataUtils,
  FloatType,
  HalfFloatType,
  NearestFilter,
  type Node,
  RGBAFormat,
  Vector3,
} from 'three/webgpu';
import {
  Fn,
  instancedBufferAttribute,
  int,
  ivec2,
  mix,
  normalLocal,
  textureLoad,
  uniform,
  vertexIndex,
} from 'three/tsl';
import { copyOf } from './copy-of.ts';
import { instancedSoldier, perCharacter, placed, placeOf, turned } from './placed.ts';
import type { Soldier } from './soldier.ts';
import { DoesNotFit, type Subject, type SubjectContext } from './subject.ts';

/** Frames of a clip that are baked for each second. */
const RATE = 30;

/**
 * Vertex animation textures: where every vertex is in each thirtieth of a second of each clip, baked in advance, one row per frame.
 * Draws blend two rows. Nothing else is possible: one clip at a time, no blending, no state but a clock.
 */
export function vertexTextures({ device, soldier, plan }: SubjectContext): Subject {
  const baked = bake(soldier, device.limits.maxTextureDimension2D);
  const time = uniform(0);
  const place = instancedBufferAttribute(perCharacter(plan, placeOf), 'vec4') as unknown as Node<'vec4'>;
  const played = instancedBufferAttribute(
    perCharacter(plan, ({ clip, time: begin }) => [
      baked.firstRows[clip]!,
      soldier.animations[clip]!.duration,
      begin,
      0,
    ]),
    'vec4',
  ) as unknown as Node<'vec4'>;

  const drawnPosition = Fn(() => {
    const frame = time.add(played.z).mod(played.y).mul(RATE).toVar();
    const row = int(played.x.add(frame.floor())).toVar();
    const between = frame.fract();
    const read = (texture: DataTexture): Node<'vec3'> => {
      const at = (next: number) => textureLoad(texture, ivec2(int(vertexIndex), row.add(int(next)))).xyz;
      return mix(at(0), at(1), between) as unknown as Node<'vec3'>;
    };
    const turn = { cos: place.z, sin: place.w };
    normalLocal.assign(turned(read(baked.normals), turn));
    return placed(turned(read(baked.positions), turn), place);
  })();
  const object = instancedSoldier(soldier, plan.count, drawnPosition as Node<'vec3'>);
  return {
    object,
    step: (dt) => void (time.value += dt),
    dispose() {
      baked.positions.dispose();
      baked.normals.dispose();
      object.geometry.dispose();
    },
  };
}

interface Baked {
  /** First row of each clip. */
  readonly firstRows: readonly number[];
  readonly positions: DataTexture;
  readonly normals: DataTexture;
}

/** Positions as floats, normals as half floats. */
function bake({ scene: original, animations, vertexCount }: Soldier, limit: number): Baked {
  const { scene, mesh } = copyOf(original);
  const firstRows: number[] = [];
  let rows = 0;
  for (const { duration } of animations) {
    firstRows.push(rows);
    rows += Math.ceil(duration * RATE - 0.01) + 1;
  }
  if (Math.max(vertexCount, rows) > limit) {
    throw new DoesNotFit(`a texture of ${vertexCount} × ${rows} texels, and the device has ${limit} × ${limit}`);
  }
  const positions = new Float32Array(4 * vertexCount * rows);
  const normals = new Uint16Array(4 * vertexCount * rows);
  const { position, normal } = mesh.geometry.attributes;
  const mixer = new AnimationMixer(scene);
  const [point, tip, rest] = [new Vector3(), new Vector3(), new Vector3()];
  animations.forEach((clip, c) => {
    mixer.stopAllAction();
    mixer.clipAction(clip).reset().play();
    const end = firstRows[c + 1] ?? rows;
    for (let row = firstRows[c]!; row < end; row++) {
      // the clip begins again after its last row
      mixer.setTime((row - firstRows[c]!) / RATE);
      scene.updateMatrixWorld(true);
      for (let v = 0; v < vertexCount; v++) {
        const texel = 4 * (row * vertexCount + v);
        mesh.applyBoneTransform(v, point.fromBufferAttribute(position!, v));
        rest.fromBufferAttribute(position!, v);
        mesh.applyBoneTransform(v, tip.fromBufferAttribute(normal!, v).add(rest));
        positions.set([point.x, point.y, point.z, 1], texel);
        tip.sub(point);
        for (let i = 0; i < 3; i++) normals[texel + i] = DataUtils.toHalfFloat(tip.getComponent(i));
      }
    }
  });
  const texture = (values: Float32Array | Uint16Array, type: typeof FloatType | typeof HalfFloatType) => {
    const made = new DataTexture(values, vertexCount, rows, RGBAFormat, type);
    made.minFilter = made.magFilter = NearestFilter;
    made.needsUpdate = true;
    return made;
  };
  return { firstRows, positions: texture(positions, FloatType), normals: texture(normals, HalfFloatType) };
}
