import type { VertexProvider } from '../../src/index.ts';

/**
 * Sways hanging parts: lower vertices move farther, and each character has its own phase. Row 0: the direction of the wind
 * (x, y, z, in model space), and metres of movement per metre below the height, which is the first number of row 1.
 */
export const wind: VertexProvider = {
  name: 'wind',
  space: 'model',
  rowCount: 2,
  code: `
fn wind(site: VertexSite, surface: Surface) -> Surface {
  let blow = windRow(0u);
  // characters are numbered from 0 on; 2.4 radians make neighbours differ
  let own = f32(site.character) * 2.4;
  let gust = 0.6 + 0.4 * sin(site.time * 0.7 + own * 0.1);
  let sway = sin(site.time * 5.0 + own + surface.position.y * 6.0);
  let far = blow.w * max(windRow(1u).x - surface.position.y, 0.0) * gust * (0.7 + 0.3 * sway);
  return Surface(surface.position + blow.xyz * far, surface.normal, surface.tangent);
}`,
  // the same for backend: 'cpu'
  twin: ({ character, time, row }, { position, normal, tangent }) => {
    const [x, y, z] = position as [number, number, number];
    const [dx, dy, dz, strength] = row(0) as unknown as [number, number, number, number];
    const own = character * 2.4;
    const gust = 0.6 + 0.4 * Math.sin(time * 0.7 + own * 0.1);
    const sway = Math.sin(time * 5 + own + y * 6);
    const far = strength * Math.max(row(1)[0]! - y, 0) * gust * (0.7 + 0.3 * sway);
    return { position: [x + dx * far, y + dy * far, z + dz * far], normal, tangent };
  },
};
