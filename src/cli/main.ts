#!/usr/bin/env node
import { error, ManipleError, reasonOf } from '../errors.ts';
import { EXIT_FAILED, printError, reportFailure } from './output.ts';
import { runProgram } from './program.ts';

/** A failed write to stdout: the answer is lost, and exit code 0 would pass it off as whole. */
function reportUnwritten(failure: NodeJS.ErrnoException): number {
  if (failure.code === 'EPIPE') return EXIT_FAILED; // the reader left, as `head` does, and wants to hear no more
  const message = `The output cannot be written: ${reasonOf(failure)}.`;
  const suggestion = 'Write to a disk with room, or to a pipe.';
  return reportFailure(new ManipleError(error('FILE_UNWRITABLE', 'stdout', message, suggestion)), false);
}

// Without listeners a failed write would end the process here and there, with a stack.
let unwritten: Error | undefined;
process.stdout.on('error', (failure) => (unwritten ??= failure));
process.stderr.on('error', () => undefined);

const code = await runProgram(process.argv.slice(2)).catch((thrown: unknown) => {
  printError(String(thrown));
  return EXIT_FAILED;
});
// Dawn keeps threads that would hold the process open: leave once everything is written, or will never be.
process.stdout.write('', (failure) => {
  const lost = unwritten ?? failure;
  const last = lost ? reportUnwritten(lost) : code;
  process.stderr.write('', () => process.exit(last));
});
