/**
 * The number of triangles of a Draco mesh, read from its header (bitstream 2.2, the one that glTF allows). It is not
 * decoded for this, because a few bytes can declare billions. Undefined if the data is not such a mesh.
 */
export function dracoTriangleCount(bytes: Uint8Array): number | undefined {
  const cursor = new Cursor(bytes);
  if (String.fromCharCode(...bytes.subarray(0, 5)) !== 'DRACO') return undefined;
  cursor.skip(5);
  const [major, minor, type, method] = [cursor.byte(), cursor.byte(), cursor.byte(), cursor.byte()];
  const flags = cursor.byte() | (cursor.byte() << 8);
  if (major !== 2 || minor !== 2 || type !== 1) return undefined;
  if (flags & METADATA_FLAG) skipMetadata(cursor);
  if (method === 0) {
    const faces = cursor.varint();
    return cursor.overrun ? undefined : faces;
  }
  cursor.skip(1); // traversal method
  cursor.varint(); // encoded vertices
  const faces = cursor.varint();
  return cursor.overrun ? undefined : faces;
}

const METADATA_FLAG = 0x8000;

function skipMetadata(cursor: Cursor): void {
  const attributes = cursor.varint();
  for (let i = 0; i < attributes && !cursor.overrun; i++) {
    cursor.varint(); // attribute id
    skipElement(cursor);
  }
  skipElement(cursor);
}

/** Entries, then nested elements; walked with a counter of what is still to come, not by recursion. */
function skipElement(cursor: Cursor): void {
  for (let pending = 1; pending > 0 && !cursor.overrun; pending--) {
    const entries = cursor.varint();
    for (let i = 0; i < entries && !cursor.overrun; i++) {
      cursor.skip(cursor.byte()); // name
      cursor.skip(cursor.varint()); // value
    }
    pending += cursor.varint();
    // a nested element begins with its name
    if (pending > 1) cursor.skip(cursor.byte());
  }
}

/** Reads forward; past the end it returns zeros and remembers it. */
class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get overrun(): boolean {
    return this.#at > this.#bytes.length;
  }

  skip(count: number): void {
    this.#at += count;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** LEB128 of at most 32 bits. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }
}
