import { DataTexture, RGBAIntegerFormat, UnsignedIntType } from 'three/webgpu';
import { TEXEL_ROW_BYTES } from '../../frame/tables/texel-rows.ts';
import { type CrowdRenderer, writeTexels } from '../internals.ts';
import { TEXELS_PER_ROW, type TexelTable } from '../rows.ts';

/** Words in a row of a texture: four per texel. */
export const WORDS_PER_ROW: number = 4 * TEXELS_PER_ROW;

/** Largest texture for a table: 2,048 rows, which every WebGL 2 device has. */
export const TEXTURE_BYTES: number = 2048 * TEXEL_ROW_BYTES;

/** Number of words of whole rows that hold this many. */
export function wholeRows(words: number): number {
  return Math.max(1, Math.ceil(words / WORDS_PER_ROW)) * WORDS_PER_ROW;
}

/**
 * A texture for tables that shaders read, see `TexelTable`, and its content in CPU memory. Only rows of texels that have changed are
 * uploaded. three.js creates the texture and uploads all of it when it is first drawn, and again after a lost context.
 */
export class TableTexture {
  words: Uint32Array<ArrayBuffer>;
  readonly texture: DataTexture;
  /** By row of the texture: 1 if it has changed since the last upload. */
  #changed: Uint8Array<ArrayBuffer>;
  #hasChanges = false;

  /** @param words Kept, not copied. Their number is a multiple of `WORDS_PER_ROW`. */
  constructor(words: Uint32Array<ArrayBuffer>, name: string) {
    const height = words.length / WORDS_PER_ROW;
    this.words = words;
    this.#changed = new Uint8Array(height);
    this.texture = new DataTexture(words, TEXELS_PER_ROW, height, RGBAIntegerFormat, UnsignedIntType);
    this.texture.name = name;
    this.texture.needsUpdate = true;
  }

  get byteLength(): number {
    return this.words.byteLength;
  }

  /** The table that fills the texture. */
  get table(): TexelTable {
    return { texture: this.texture, firstTexel: 0 };
  }

  /** Changes the number of words. All of them are 0 then. Shaders go on to read the texture. */
  resize(length: number): void {
    this.words = new Uint32Array(length);
    this.#changed = new Uint8Array(length / WORDS_PER_ROW);
    this.texture.dispose(); // because its size changes
    this.texture.image = { data: this.words, width: TEXELS_PER_ROW, height: length / WORDS_PER_ROW };
    this.texture.needsUpdate = true;
  }

  /** Copies words to a texel and those after it. */
  set(firstTexel: number, words: Uint32Array): void {
    this.words.set(words, 4 * firstTexel);
    this.changed(firstTexel, words.length / 4);
  }

  /** The content of these texels has changed. */
  changed(firstTexel: number, texelCount: number): void {
    if (texelCount <= 0) return;
    this.#hasChanges = true;
    const first = Math.floor(firstTexel / TEXELS_PER_ROW);
    this.#changed.fill(1, first, Math.floor((firstTexel + texelCount - 1) / TEXELS_PER_ROW) + 1);
  }

  /** Uploads changed rows, one call for each run of them. */
  upload(renderer: CrowdRenderer): void {
    if (!this.#hasChanges) return;
    this.#hasChanges = false;
    const changed = this.#changed;
    for (let row = changed.indexOf(1); row >= 0;) {
      const found = changed.indexOf(0, row);
      const end = found < 0 ? changed.length : found;
      writeTexels(renderer, this.texture, row, end - row);
      row = changed.indexOf(1, end);
    }
    changed.fill(0);
  }

  dispose(): void {
    this.texture.dispose();
  }
}

/** Tables in one texture. Each begins with a row of texels, so that rows can be copied there from a buffer. */
export class TableSections<Names extends string> {
  readonly #first: ReadonlyMap<Names, number>;
  readonly wordCount: number;

  constructor(names: readonly Names[], bytesOf: (name: Names) => number) {
    let words = 0;
    const first = names.map((name) => {
      const texel = words / 4;
      words += wholeRows(bytesOf(name) / 4);
      return [name, texel] as const;
    });
    this.#first = new Map(first);
    this.wordCount = words;
  }

  /** First texel of a table. */
  first(name: Names): number {
    return this.#first.get(name)!;
  }
}
