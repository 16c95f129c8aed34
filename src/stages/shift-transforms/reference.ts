import type { View } from '../../layout/index.ts';
import type { Transform } from '../layout.ts';

/** Makes positions relative to an origin that has moved. Each coordinate is rounded once per move. */
export function shiftTransforms(
  transforms: View<(typeof Transform)['fields']>,
  count: number,
  moves: readonly (readonly number[])[],
): void {
  const { floats, struct } = transforms;
  const stride = struct.size / 4;
  for (let i = 0; i < count; i++) {
    for (const move of moves) {
      for (let c = 0; c < 3; c++) floats[i * stride + c]! -= move[c]!;
    }
  }
}
