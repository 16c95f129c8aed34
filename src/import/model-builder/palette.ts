import type { BindingModel } from '../../character/model.ts';
import { type IssueList, pointer } from './issue-list.ts';

/** Bindings are counted in 16 bits. */
const MAX_BINDINGS = 65_535;

const IDENTITY: Float32Array = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);

/**
 * Collects the palette while meshes are bound: one entry per distinct (joint, inverse bind) that some vertex uses.
 * Skins of one character often name the same joints; where their inverse binds agree, so do their entries.
 */
export class Palette {
  readonly #bindings: BindingModel[] = [];
  readonly #indexOf = new Map<string, number>();
  #isFull = false;

  /** The entry of a joint and its inverse bind matrix (3 × 4, row-major). */
  bind(jointIndex: number, jointFromMesh: Float32Array): number {
    const key = `${jointIndex}:${new Uint32Array(jointFromMesh.buffer, jointFromMesh.byteOffset, 12).join()}`;
    const known = this.#indexOf.get(key);
    if (known !== undefined) return known;
    if (this.#bindings.length >= MAX_BINDINGS) {
      this.#isFull = true;
      return 0;
    }
    const index = this.#bindings.push({ jointIndex, jointFromMesh }) - 1;
    this.#indexOf.set(key, index);
    return index;
  }

  /** The entry of a joint that carries a mesh rigidly. */
  bindRigid(jointIndex: number): number {
    return this.bind(jointIndex, IDENTITY);
  }

  /**
   * The palette sorted by joint, then by first use, and where each entry went. It has at least one entry if there is
   * a joint: kernels need not know an empty palette.
   */
  finish(jointCount: number, issues: IssueList): { bindings: BindingModel[]; movedTo: Uint16Array } {
    if (this.#bindings.length === 0 && jointCount > 0) this.bindRigid(0);
    const count = this.#bindings.length;
    if (this.#isFull) {
      const message = `the character binds joints in more than ${MAX_BINDINGS} ways, which is the limit`;
      issues.error('CHARACTER_TOO_MANY_JOINTS', pointer('skins'), message);
    }
    const order = this.#bindings.map((_, i) => i);
    order.sort((a, b) => this.#bindings[a]!.jointIndex - this.#bindings[b]!.jointIndex || a - b);
    const movedTo = new Uint16Array(count);
    order.forEach((from, to) => (movedTo[from] = to));
    return { bindings: order.map((from) => this.#bindings[from]!), movedTo };
  }
}

/** Replaces palette entries by where the palette's sorting has moved them, in place. */
export function renumber(entries: Uint16Array, movedTo: Uint16Array): void {
  for (let i = 0; i < entries.length; i++) entries[i] = movedTo[entries[i]!]!;
}

/**
 * One skin: its joints in file order, and their palette entries, made when the first vertex asks for them.
 *
 * Without inverse bind matrices they are the identity, as glTF says. One with NaN in it is replaced by the inverse of
 * the joint's rest transform, which is what exporters write for a model bound in its rest pose.
 */
export class SkinBindings {
  readonly #entries: Int32Array;

  constructor(
    readonly jointCount: number,
    readonly bind: (i: number) => number,
  ) {
    this.#entries = new Int32Array(jointCount).fill(-1);
  }

  /** The palette entry of the skin's joint `i`, which must be below `jointCount`. */
  entry(i: number): number {
    if (this.#entries[i]! < 0) this.#entries[i] = this.bind(i);
    return this.#entries[i]!;
  }
}
