/**
 * One skin: its joints in file order, and their palette entries, made when the first vertex asks for them.
 *
 * Without inverse bind matrices they are the identity, as glTF says. One with NaN in it is replaced by the inverse of
 * the joint's rest transform, which is what exporters write for a model bound in its rest pose.
 */
export class SkinBindings {
  readonly jointCount: number;
  readonly #entries: Int32Array;
  readonly #bind: (i: number) => number;

  constructor(jointCount: number, bind: (i: number) => number) {
    this.jointCount = jointCount;
    this.#entries = new Int32Array(jointCount).fill(-1);
    this.#bind = bind;
  }

  /** The palette entry of the skin's joint `i`, which must be below `jointCount`. */
  entry(i: number): number {
    let entry = this.#entries[i]!;
    if (entry < 0) {
      entry = this.#bind(i);
      this.#entries[i] = entry;
    }
    return entry;
  }
}
