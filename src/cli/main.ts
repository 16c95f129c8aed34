#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { bakeCommand } from './commands/bake.ts';
import { doctorCommand } from './commands/doctor.ts';
import { inspectCommand } from './commands/inspect.ts';
import { poseCommand } from './commands/pose.ts';
import { renderCommand } from './commands/render.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, printJson, reportFailure } from './output.ts';
import { version } from './version.ts';

const COMMANDS = [renderCommand, inspectCommand, poseCommand, bakeCommand, doctorCommand];

/** Runs the command line and returns its exit code: 0 done, 1 failed, 2 bad usage. */
async function main(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  const program = new Command('maniple')
    .description('Animates and skins crowds of characters on the GPU.')
    .version(version())
    .showHelpAfterError('(--help explains)');
  for (const create of COMMANDS) program.addCommand(withExits(create(), json));
  withExits(program, json);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return process.exitCode === undefined ? EXIT_OK : Number(process.exitCode);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return reportFailure(thrown, json);
    if (thrown.exitCode === 0) return EXIT_OK; // --help and --version
    const message = thrown.message.replace(/^error: /, '');
    if (json) printJson({ errors: [{ code: 'USAGE', severity: 'error', path: 'command', message }] });
    return EXIT_USAGE;
  }
}

/** Makes commander throw instead of exiting, and keep stderr quiet where the error goes out as JSON. */
function withExits(command: Command, json: boolean): Command {
  command.exitOverride();
  if (json) command.configureOutput({ writeErr: () => undefined });
  return command;
}

// Dawn keeps threads that would hold the process open: leave once everything is written.
const code = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  process.stderr.write(`${String(thrown)}\n`);
  return EXIT_FAILED;
});
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
