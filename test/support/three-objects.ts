import { BufferAttribute, type BufferGeometry, Mesh, MeshStandardMaterial, type Object3D } from 'three';

/** Gives an object a name, and children. */
export function named<T extends Object3D>(object: T, name: string, ...children: Object3D[]): T {
  object.name = name;
  if (children.length > 0) object.add(...children);
  return object;
}

/** A mesh with a plain material. */
export function plainMesh(geometry: BufferGeometry, name = ''): Mesh {
  return named(new Mesh(geometry, new MeshStandardMaterial()), name);
}

/** Lets vertices follow two bones by their height. `bonesAt` gives both, and the weight of the second. */
export function skinByHeight(
  geometry: BufferGeometry,
  bonesAt: (height: number) => readonly [first: number, second: number, share: number],
): BufferGeometry {
  const { count } = geometry.attributes.position!;
  const [indices, weights] = [new Uint16Array(4 * count), new Float32Array(4 * count)];
  for (let v = 0; v < count; v++) {
    const [first, second, share] = bonesAt(geometry.attributes.position!.getY(v));
    indices.set([first, second, 0, 0], 4 * v);
    weights.set([1 - share, share, 0, 0], 4 * v);
  }
  geometry.setAttribute('skinIndex', new BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new BufferAttribute(weights, 4));
  return geometry;
}
