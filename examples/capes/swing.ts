import type { VertexProvider } from '../../src/index.ts';

/**
 * A swinging cape. Below the shoulders it follows the body with a delay, as a damped spring, and gusts from a texture push it.
 * The spring has two rows of state, kept between frames for each visible character: the hem's delay in model space, and the
 * speed at which it changes.
 */
export const swing: VertexProvider = {
  name: 'swing',
  space: 'model',
  // row 0: stiffness and damping of the spring, delay of the hem in seconds, height of the shoulders
  rowCount: 1,
  // row 0: weight of this character's cape
  characterRowCount: 1,
  stateRowCount: 2,
  resources: { gusts: { kind: 'texture', type: 'texture_2d<f32>' } },
  update: {
    code: `
fn turned(v: vec3f, q: vec4f) -> vec3f {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
fn swingUpdate(site: CharacterSite, state: array<vec4f, 2>) -> array<vec4f, 2> {
  let spring = swingRow(0u);
  // long gaps, of characters that were culled, are not caught up with
  let dt = min(site.elapsed, 0.05);
  let speed = (site.position - site.previousPosition) / max(site.dt, 0.001);
  let place = vec2i(floor(site.position.xz + vec2f(site.time * 3.0, 0.0)));
  let gust = textureLoad(gusts, vec2u(place & vec2i(15)), 0).x - 0.5;
  let inverse = vec4f(-site.rotation.xyz, site.rotation.w);
  let rest = turned(vec3f(gust * 2.0, 0.0, 0.0) - speed, inverse) * spring.z;
  let pull = (rest - state[0].xyz) * spring.x - state[1].xyz * spring.y;
  let velocity = state[1].xyz + pull * dt / swingCharacterRow(0u).x;
  return array(vec4f(state[0].xyz + velocity * dt, 0.0), vec4f(velocity, 0.0));
}`,
    // the same for backend: 'cpu', in still air: the texture is on the GPU
    twin: ({ row, characterRow, elapsed, dt: frame, position, previousPosition, rotation }, state) => {
      const [stiffness, damping, late] = row(0) as unknown as [number, number, number];
      const dt = Math.min(elapsed, 0.05);
      const speed = position.map((now, c) => (previousPosition[c]! - now) / Math.max(frame, 0.001));
      const [x, y, z] = speed as [number, number, number];
      const [qx, qy, qz, qw] = [-rotation[0]!, -rotation[1]!, -rotation[2]!, rotation[3]!];
      const t = [qy * z - qz * y + qw * x, qz * x - qx * z + qw * y, qx * y - qy * x + qw * z] as const;
      const turned = [qy * t[2] - qz * t[1], qz * t[0] - qx * t[2], qx * t[1] - qy * t[0]];
      const moved = [0, 1, 2].map((c) => {
        const rest = (speed[c]! + 2 * turned[c]!) * late;
        const pull = (rest - state[0]![c]!) * stiffness - state[1]![c]! * damping;
        const velocity = state[1]![c]! + (pull * dt) / characterRow(0)[0]!;
        return [state[0]![c]! + velocity * dt, velocity] as const;
      });
      const of = (i: 0 | 1) => [moved[0]![i], moved[1]![i], moved[2]![i], 0] as const;
      return [of(0), of(1)];
    },
  },
  code: `
fn swing(site: VertexSite, surface: Surface) -> Surface {
  let below = max(swingRow(0u).w - surface.position.y, 0.0);
  return Surface(surface.position + swingState(0u).xyz * below, surface.normal, surface.tangent);
}`,
  twin: ({ row, state }, { position, normal, tangent }) => {
    const below = Math.max(row(0)[3]! - position[1]!, 0);
    return { position: position.map((c, axis) => c + state(0)[axis]! * below), normal, tangent };
  },
};
