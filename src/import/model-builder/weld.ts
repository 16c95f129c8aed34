/** One attribute of every vertex, as raw words: equality means equal bits. */
export interface WordStream {
  readonly words: Uint32Array;
  /** Words per element. */
  readonly width: number;
  /** For each vertex, its element. Default: they are the same. */
  readonly elementOf?: Uint32Array | undefined;
}

/** The words of floats. */
export function streamOf(values: Float32Array, width: number, elementOf?: Uint32Array): WordStream {
  return { words: new Uint32Array(values.buffer, values.byteOffset, values.length), width, elementOf };
}

/**
 * How many slots are searched for an equal vertex. At half load a chain is a few slots long; a file made of colliding
 * hashes gets its vertices back unwelded instead of keeping the machine busy.
 */
const MAX_PROBES = 64;

/** For each of `count` vertices the first one that equals it in every stream. */
export function weld(count: number, streams: readonly WordStream[]): Uint32Array {
  const firstOf = new Uint32Array(count);
  const slots = 2 ** Math.ceil(Math.log2(Math.max(16, 2 * count)));
  // vertex + 1, so that zero means empty
  const table = new Uint32Array(slots);
  for (let v = 0; v < count; v++) {
    firstOf[v] = v;
    let slot = hash(v, streams) & (slots - 1);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const held = table[slot]!;
      if (held === 0) {
        table[slot] = v + 1;
        break;
      }
      if (equal(held - 1, v, streams)) {
        firstOf[v] = held - 1;
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }
  return firstOf;
}

function hash(vertex: number, streams: readonly WordStream[]): number {
  let h = 0x9747b28c;
  for (const { words, width, elementOf } of streams) {
    const from = (elementOf ? elementOf[vertex]! : vertex) * width;
    for (let i = from; i < from + width; i++) {
      h = Math.imul(h ^ words[i]!, 0x5bd1e995);
      h ^= h >>> 13;
    }
  }
  h = Math.imul(h, 0x5bd1e995);
  return (h ^ (h >>> 15)) >>> 0;
}

function equal(a: number, b: number, streams: readonly WordStream[]): boolean {
  for (const { words, width, elementOf } of streams) {
    const fromA = (elementOf ? elementOf[a]! : a) * width;
    const fromB = (elementOf ? elementOf[b]! : b) * width;
    for (let i = 0; i < width; i++) if (words[fromA + i] !== words[fromB + i]) return false;
  }
  return true;
}
