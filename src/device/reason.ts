/** The text of anything that was thrown, without a final period, to be put into a sentence. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).trim().replace(/\.$/, '');
}
