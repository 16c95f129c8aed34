import { fail } from '../../errors.ts';
import type { DrawArrays } from '../../frame/backend.ts';
import type { Struct } from '../../layout/index.ts';
import { Resident, ROW_NONE, Transform, VisibleCharacter } from '../../stages/layout.ts';
import type { CrowdRenderer } from '../internals.ts';
import type { TexelTable } from '../rows.ts';
import { TableSections, TableTexture, TEXTURE_BYTES, wholeRows } from './table-texture.ts';

/** Columns of the crowd that draws read, in one texture: materials have few texture units left. */
export const SECTIONS = ['visible', 'residents', 'transforms', 'previousTransforms'] as const;
export type SectionName = (typeof SECTIONS)[number];

const STRUCTS: Readonly<Record<SectionName, Struct>> = {
  visible: VisibleCharacter,
  residents: Resident,
  transforms: Transform,
  previousTransforms: Transform,
};

/** Layout of the columns of a crowd in a texture. @throws ManipleError DEVICE_LIMIT */
export function crowdSections(capacity: number): TableSections<SectionName> {
  const sections = new TableSections(SECTIONS, (name) => STRUCTS[name].size * capacity);
  if (4 * sections.wordCount <= TEXTURE_BYTES) return sections;
  const message = `Draws read ${4 * sections.wordCount} bytes of ${capacity} characters; a texture holds ${TEXTURE_BYTES}.`;
  return fail('DEVICE_LIMIT', 'capacity', message, 'Create the crowd with a smaller capacity, or use WebGPU.');
}

/**
 * The memory that a crowd without a device is drawn from, in textures: columns, and pages of palettes. `follow` copies what the last
 * frame has changed. No allocation per character or per frame, except a few views.
 */
export class CrowdTextures {
  readonly #arrays: DrawArrays;
  readonly #columns: TableTexture;
  readonly #sections: TableSections<SectionName>;
  readonly #pages: readonly TableTexture[];

  /** @throws ManipleError DEVICE_LIMIT */
  constructor(arrays: DrawArrays) {
    this.#arrays = arrays;
    this.#sections = crowdSections(arrays.visible.count);
    this.#columns = new TableTexture(new Uint32Array(this.#sections.wordCount), 'columns of a crowd');
    this.#pages = arrays.pages.map(({ skinned }, page) => new TableTexture(skinned, `palettes ${page}`));
  }

  get byteLength(): number {
    return this.#pages.reduce((sum, { byteLength }) => sum + byteLength, this.#columns.byteLength);
  }

  /** A table of the crowd. */
  section(name: SectionName): TexelTable {
    return { texture: this.#columns.texture, firstTexel: this.#sections.first(name) };
  }

  /** The palettes in a page. */
  page(index: number): TexelTable {
    return this.#pages[index]!.table;
  }

  /** True if they are of this memory. Otherwise make others. */
  isOf({ visible, draws, pages }: DrawArrays): boolean {
    const own = this.#arrays;
    const isSame = ({ skinned }: DrawArrays['pages'][number], page: number) => this.#pages[page]?.words === skinned;
    return own.visible === visible && own.draws === draws && pages.length === own.pages.length && pages.every(isSame);
  }

  /**
   * Copies what the last frame has changed.
   * @param arrays Of the frame, after `isOf`.
   * @param rowCount Rows that ever had a character.
   */
  follow(arrays: DrawArrays, rowCount: number, renderer: CrowdRenderer): void {
    let listed = 0;
    for (const { recordByte } of arrays.draws) {
      listed = Math.max(listed, arrays.targets[recordByte / 4]! + arrays.targets[recordByte / 4 + 1]!);
    }
    for (const name of SECTIONS) {
      const rows = name === 'visible' ? listed : rowCount;
      const wordCount = (rows * STRUCTS[name].size) / 4;
      this.#columns.set(this.#sections.first(name), arrays[name].words.subarray(0, wordCount));
    }
    this.#columns.upload(renderer);
    this.#followPages(arrays);
    for (const page of this.#pages) page.upload(renderer);
  }

  /** Marks the palettes that the frame has posed. */
  #followPages({ visible, draws, targets }: DrawArrays): void {
    for (const { pageIndex, type, recordByte } of draws) {
      const first = targets[recordByte / 4]!;
      const end = first + targets[recordByte / 4 + 1]!;
      for (let row = first; row < end; row++) {
        if (visible.get(row, 'paletteRow') === ROW_NONE) continue;
        this.#pages[pageIndex]!.changed(visible.get(row, 'currentVertexOffset') >>> 1, type.keptRows);
      }
    }
  }

  dispose(): void {
    this.#columns.dispose();
    for (const page of this.#pages) page.dispose();
  }
}

/** Tables that attachments read: a matrix per attachment, of this frame and of the previous one. */
export type MatrixTables = Readonly<Record<'matrices' | 'previousMatrices', TexelTable>>;

/** Matrices of attachments in textures. */
export class MatrixTextures {
  #now = empty();
  #previous = empty();

  /** Tables as they are now. A larger number of attachments changes them. */
  get tables(): MatrixTables {
    return { matrices: this.#now.table, previousMatrices: this.#previous.table };
  }

  /** @param count Number of attachments. @throws ManipleError DEVICE_LIMIT */
  follow({ socketMatrices, previousSocketMatrices }: DrawArrays, count: number, renderer: CrowdRenderer): void {
    if (wholeRows(socketMatrices.length) > this.#now.words.length) this.#grow(socketMatrices.length);
    for (const [texture, matrices] of [
      [this.#now, socketMatrices],
      [this.#previous, previousSocketMatrices],
    ] as const) {
      if (count === 0) return;
      texture.set(0, new Uint32Array(matrices.buffer, matrices.byteOffset, 16 * count));
      texture.upload(renderer);
    }
  }

  dispose(): void {
    this.#now.dispose();
    this.#previous.dispose();
  }

  #grow(length: number): void {
    if (4 * length > TEXTURE_BYTES) {
      const message = `${length / 16} attachments take ${4 * length} bytes; a texture holds ${TEXTURE_BYTES}.`;
      fail('DEVICE_LIMIT', 'attachMesh', message, 'Attach fewer things, or use WebGPU.');
    }
    this.dispose();
    [this.#now, this.#previous] = [empty(length), empty(length)];
  }
}

function empty(length = 0): TableTexture {
  return new TableTexture(new Uint32Array(wholeRows(length)), 'matrices of attachments');
}
