/** Declarations of a text: the kernel's own and the shared ones, each as runs `first-last first …`. */
type Runs = readonly [own: string, shared: string];

/**
 * The variants of a kernel, joined on access from declarations that ship only once. Their order means nothing in WGSL,
 * except for directives, which are first among the kernel's own.
 */
export function linked<Name extends string>(
  own: readonly string[],
  shared: readonly string[],
  variants: Readonly<Record<Name, Runs>>,
): Readonly<Record<Name, string>> {
  const texts = {} as Record<Name, string>;
  for (const name of Object.keys(variants) as Name[]) {
    const [ownRuns, sharedRuns] = variants[name];
    const get = (): string => [...pick(own, ownRuns), ...pick(shared, sharedRuns), ''].join('\n');
    Object.defineProperty(texts, name, { get, enumerable: true });
  }
  return texts;
}

/** Declarations at the positions of runs. */
export function pick(declarations: readonly string[], runs: string): string[] {
  return runs.split(' ').flatMap((run) => {
    const [first, last = first] = run.split('-');
    return run === '' ? [] : declarations.slice(Number(first), Number(last) + 1);
  });
}
