import { crc32, deflateSync } from 'node:zlib';
import { hash } from '../make-characters/math/noise.ts';

/** Texels each way. */
const SIZE = 64;
/** Stored, not compressed: compressors differ from machine to machine, and the file has to be the same. */
const STORED = { level: 0 } as const;

interface Leaf {
  readonly x: number;
  readonly y: number;
  /** Direction that it points to, and half its length and width, of the picture's size. */
  readonly angle: number;
  readonly long: number;
  readonly wide: number;
  readonly shade: number;
}

/** A twig with leaves on both sides, from the picture's lower edge upwards: grey, with holes, as a PNG. */
export function leafImage(): Uint8Array {
  const leaves = Array.from({ length: 15 }, (_, i): Leaf => {
    const up = i / 14;
    const side = i % 2 === 0 ? 1 : -1;
    const angle = i === 14 ? 0 : side * (0.55 + 0.5 * hash(i, 2));
    const stem = 0.5 + 0.05 * Math.sin(up * 5);
    const long = 0.155 - 0.05 * up;
    return {
      x: stem + Math.sin(angle) * long,
      y: 0.92 - 0.74 * up - Math.cos(angle) * long * 0.8,
      angle,
      long,
      wide: 0.062 - 0.012 * up,
      shade: 0.72 + 0.28 * hash(i, 3),
    };
  });
  const rows = Buffer.alloc(SIZE * (1 + 2 * SIZE));
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE; column++) {
      const [grey, alpha] = texel((column + 0.5) / SIZE, (row + 0.5) / SIZE, leaves);
      rows.writeUInt8(Math.round(255 * grey), row * (1 + 2 * SIZE) + 1 + 2 * column);
      rows.writeUInt8(Math.round(255 * alpha), row * (1 + 2 * SIZE) + 2 + 2 * column);
    }
  }
  return png(rows);
}

/** Grey and alpha, which falls off over a texel or two. */
function texel(x: number, y: number, leaves: readonly Leaf[]): [grey: number, alpha: number] {
  let [grey, alpha] = [0.8, 0];
  for (const leaf of leaves) {
    const [dx, dy] = [x - leaf.x, y - leaf.y];
    const along = (dx * Math.sin(leaf.angle) - dy * Math.cos(leaf.angle)) / leaf.long;
    const across = (dx * Math.cos(leaf.angle) + dy * Math.sin(leaf.angle)) / leaf.wide;
    if (Math.abs(along) >= 1) continue;
    // pointed at both ends, widest below the middle
    const edge = (1 - along * along) * (1 - 0.25 * along);
    const inside = (edge - Math.abs(across)) * leaf.wide * SIZE + 0.5;
    if (inside <= alpha) continue;
    const vein = Math.abs(across) < 0.12 ? 0.9 : 1;
    [grey, alpha] = [leaf.shade * vein * (across > 0 ? 1 : 0.9), Math.min(1, inside)];
  }
  const stem = Math.abs(x - (0.5 + 0.05 * Math.sin(((0.98 - y) / 0.8) * 5)));
  if (alpha < 1 && y > 0.2 && stem < 0.018) return [0.55, 1];
  return [grey, alpha];
}

/** 8 bits of grey and of alpha. */
function png(rows: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 4], 8);
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const image = deflateSync(rows, STORED);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', image), chunk('IEND', Buffer.alloc(0))]);
}
