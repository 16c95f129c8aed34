import type { Crowd } from '../../crowd/crowd.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { hasStandardVertices } from '../standard-vertices.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { TriangleMemory } from './memory.ts';
import { crowdSource, scenerySource, type MaterialRowOf, type TriangleSource } from './source.ts';
import { triangleTables, type TriangleTables } from './tables.ts';

/**
 * All triangles that may be drawn of a crowd's current memory and of its scenery. Pictures of any size share it, one
 * after the other.
 */
export class DrawnTriangles {
  readonly sources: readonly TriangleSource[];
  readonly tables: TriangleTables;
  readonly memory: TriangleMemory;
  /** All static geometry is in the standard layout. */
  readonly standard: boolean;
  readonly #visible: GPUBuffer;
  readonly #draws: unknown;

  /**
   * @param viewCount Views that a picture has at most.
   * @throws ManipleError RENDER_FAILED, DEVICE_LIMIT
   */
  constructor(
    device: GPUDevice,
    crowd: Crowd,
    draws: DrawnMemory,
    {
      materials,
      scenery,
      listMemory,
    }: { readonly materials: MaterialTable; readonly scenery: Scenery | undefined; readonly listMemory?: number },
    viewCount: number,
  ) {
    const rowCount = draws.crowd.visible.size / VisibleCharacter.size;
    const rowOf: MaterialRowOf = (character, primitive) => materials.rowOf(character, primitive);
    this.sources = [crowdSource(draws, rowCount, rowOf), ...(scenery ? [scenerySource(scenery, rowOf)] : [])];
    this.tables = triangleTables(this.sources);
    this.memory = new TriangleMemory(device, this.sources, this.tables, viewCount, { listMemory });
    const still = scenery?.runs.map(({ type }) => type) ?? [];
    this.standard = [...crowd.tables.types, ...still].every(({ character }) => hasStandardVertices(character));
    this.#visible = draws.crowd.visible;
    this.#draws = draws.draws;
  }

  /** Returns true if it was created for that memory. */
  isOf({ crowd, draws }: DrawnMemory): boolean {
    return this.#visible === crowd.visible && this.#draws === draws;
  }

  destroy(): void {
    this.memory.destroy();
  }
}
