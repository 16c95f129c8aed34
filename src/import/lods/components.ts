/** Pieces of a mesh that nothing joins to the rest. */
export interface Components {
  /** Per vertex. */
  readonly componentOf: Uint32Array;
  /** Per component: the farthest that one of its vertices is from their mean. */
  readonly radii: Float64Array;
}

/**
 * Finds what hangs together by triangles, or by vertices in the same place.
 *
 * @param places Per vertex, the first one in its place.
 * @param positions Three numbers per vertex.
 */
export function findComponents(triangles: Uint32Array, places: Uint32Array, positions: Float32Array): Components {
  const parents = places.slice();
  const rootOf = (vertex: number): number => {
    let root = vertex;
    while (parents[root] !== root) root = parents[root]!;
    for (let v = vertex; v !== root;) [v, parents[v]] = [parents[v]!, root];
    return root;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const root = rootOf(triangles[t]!);
    for (let k = t + 1; k < t + 3; k++) parents[rootOf(triangles[k]!)] = root;
  }
  const numbers = new Map<number, number>();
  const componentOf = places.map((_, v) => {
    const root = rootOf(v);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    return numbers.get(root)!;
  });
  return { componentOf, radii: radiiOf(componentOf, numbers.size, positions) };
}

function radiiOf(componentOf: Uint32Array, count: number, positions: Float32Array): Float64Array {
  const sums = new Float64Array(4 * count);
  componentOf.forEach((component, v) => {
    for (let c = 0; c < 3; c++) sums[4 * component + c]! += positions[3 * v + c]!;
    sums[4 * component + 3]!++;
  });
  const radii = new Float64Array(count);
  componentOf.forEach((component, v) => {
    const away = [0, 1, 2].map((c) => positions[3 * v + c]! - sums[4 * component + c]! / sums[4 * component + 3]!);
    radii[component] = Math.max(radii[component]!, Math.hypot(...away));
  });
  return radii;
}
