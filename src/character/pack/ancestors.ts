/** For pointer doubling: per round r, every joint's ancestor 2^r generations up, or −1. */
export function ancestorRounds(parents: Int32Array): Int32Array[] {
  const rounds: Int32Array[] = [];
  let current = parents;
  while (current.some((ancestor) => ancestor >= 0)) {
    rounds.push(current);
    current = current.map((ancestor) => (ancestor < 0 ? -1 : current[ancestor]!));
  }
  return rounds;
}

/** The table in the form of `CharacterType.ancestorPair`: bytes by joint, or words by round for `large` skeletons. */
export function ancestorTable(rounds: readonly Int32Array[], jointCount: number, large: boolean): Uint32Array {
  if (large) return Uint32Array.from(rounds.flatMap((ancestors) => Array.from(ancestors, (a) => a >>> 0)));
  const bytes = new Uint8Array(8 * jointCount).fill(0xff);
  rounds.forEach((ancestors, round) => {
    ancestors.forEach((ancestor, joint) => {
      if (ancestor >= 0) bytes[8 * joint + round] = ancestor;
    });
  });
  return new Uint32Array(bytes.buffer);
}
