import { type BufferGeometry, InstancedBufferAttribute, Mesh, MeshStandardNodeMaterial, type Node } from 'three/webgpu';
import { float, vec3 } from 'three/tsl';
import type { MeshStandardMaterial } from 'three/webgpu';
import type { Plan, Planned } from './plan.ts';
import type { Soldier } from './soldier.ts';

/** Four numbers for each character, as an attribute of instances. */
export function perCharacter(plan: Plan, numbers: (one: Planned) => readonly number[]): InstancedBufferAttribute {
  return new InstancedBufferAttribute(Float32Array.from(plan.characters.flatMap(numbers)), 4);
}

/** A direction turned about y. @param turn Cosine and sine. */
export function turned(v: Node<'vec3'>, turn: { cos: Node<'float'>; sin: Node<'float'> }): Node<'vec3'> {
  const { cos, sin } = turn;
  return vec3(cos.mul(v.x).add(sin.mul(v.z)), v.y, cos.mul(v.z).sub(sin.mul(v.x)));
}

/** x, z, cosine and sine of the yaw. */
export function placeOf({ x, z, yaw }: Planned): readonly [number, number, number, number] {
  return [x, z, Math.cos(yaw), Math.sin(yaw)];
}

/** A position moved to the place of `placeOf`. */
export function placed(v: Node<'vec3'>, place: Node<'vec4'>): Node<'vec3'> {
  return v.add(vec3(place.x, float(0), place.y));
}

/** Creates a soldier's mesh that one call draws `count` times, with `position` as its material's positions. */
export function instancedSoldier(soldier: Soldier, count: number, position: Node<'vec3'>): Mesh {
  const { color, roughness, vertexColors } = soldier.mesh.material as MeshStandardMaterial;
  const material = new MeshStandardNodeMaterial({ color, roughness, vertexColors });
  material.positionNode = position;
  const geometry: BufferGeometry = soldier.mesh.geometry.clone();
  for (const name of ['skinIndex', 'skinWeight']) geometry.deleteAttribute(name);
  const mesh = new Mesh(geometry, material);
  mesh.count = count;
  mesh.frustumCulled = false;
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
