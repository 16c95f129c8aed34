/** Soldiers that a director leads: a `CharacterGroup`, or an object that represents the same soldiers in several crowds. */
export interface Led {
  readonly size: number;
  isAlive(index: number): boolean;
  parameter(name: string): { readonly values: Float32Array; changed(from: number, to: number): void };
  trigger(name: string, indices: readonly number[]): void;
}

export type BattleColumn = ReturnType<typeof battleColumn>;

/**
 * One parameter of the soldiers of several groups, numbered consecutively: the first group's, then the next one's.
 * Values wait for `flush`, which reports only the changed ones, run by run.
 */
export function battleColumn(groups: readonly Led[], name: string) {
  const parts = groups.map((group) => {
    const column = group.parameter(name);
    const changed: number[] = [];
    return { column, values: column.values, changed };
  });
  const place = placeIn(groups);
  return {
    get(soldier: number): number {
      const [part, index] = place(soldier);
      return parts[part]!.values[index]!;
    },
    set(soldier: number, value: number): void {
      const [part, index] = place(soldier);
      const { values, changed } = parts[part]!;
      const known = values[index]!;
      values[index] = value;
      if (values[index] !== known) changed.push(index);
    },
    flush(): void {
      for (const { column, changed } of parts) {
        for (const [from, to] of runsOf(changed)) column.changed(from, to);
        changed.length = 0;
      }
    },
  };
}

export type BattleTrigger = ReturnType<typeof battleTrigger>;

/** A trigger of the same soldiers. */
export function battleTrigger(groups: readonly Led[], name: string) {
  const pulled = groups.map((): number[] => []);
  const place = placeIn(groups);
  return {
    pull(soldier: number): void {
      const [part, index] = place(soldier);
      pulled[part]!.push(index);
    },
    flush(): void {
      groups.forEach((group, part) => {
        const alive = pulled[part]!.filter((index) => group.isAlive(index));
        if (alive.length > 0) group.trigger(name, alive);
        pulled[part]!.length = 0;
      });
    },
  };
}

function placeIn(groups: readonly Led[]): (soldier: number) => readonly [part: number, index: number] {
  const firsts: number[] = [];
  let total = 0;
  for (const { size } of groups) {
    firsts.push(total);
    total += size;
  }
  return (soldier) => {
    let part = firsts.length - 1;
    while (firsts[part]! > soldier) part--;
    return [part, soldier - firsts[part]!];
  };
}

/** Indices, in any order and more than once, as ranges that do not touch. */
function runsOf(indices: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const index of [...indices].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && index <= last[1]) last[1] = Math.max(last[1], index + 1);
    else runs.push([index, index + 1]);
  }
  return runs;
}
