import { DataTexture, DataUtils, EquirectangularReflectionMapping, HalfFloatType, LinearFilter } from 'three/webgpu';
import type { Lighting } from '../../src/render/index.ts';

/** Rows of the picture of the sky, from straight down to straight up, and its columns, which are all the same. */
const [HEIGHT, WIDTH] = [256, 4];

type SkyColors = Pick<Lighting, 'skyColor' | 'horizonColor' | 'exposure'>;

/** A clear sky as our own renderers draw it (`skyGradient`): the horizon's colour, turning to the sky's by the root of the height. */
export function skyTexture({ skyColor, horizonColor, exposure }: SkyColors): DataTexture {
  const halves = new Uint16Array(4 * WIDTH * HEIGHT);
  for (let row = 0; row < HEIGHT; row++) {
    const height = Math.sin(((row + 0.5) / HEIGHT - 0.5) * Math.PI);
    const share = Math.sqrt(Math.max(0, height));
    const color = horizonColor.map((from, c) => exposure * (from + share * (skyColor[c]! - from)));
    for (let column = 0; column < WIDTH; column++) {
      halves.set(
        [...color, 1].map((value) => DataUtils.toHalfFloat(value)),
        4 * (row * WIDTH + column),
      );
    }
  }
  const texture = new DataTexture(halves, WIDTH, HEIGHT);
  Object.assign(texture, { type: HalfFloatType, mapping: EquirectangularReflectionMapping });
  Object.assign(texture, { magFilter: LinearFilter, minFilter: LinearFilter, needsUpdate: true });
  return texture;
}
