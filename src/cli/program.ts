// The command line without its process: what main.ts runs, and tests call.
import { Command, CommanderError } from 'commander';
import { fail, shortened } from '../errors.ts';
import { createSubcommands } from './commands.ts';
import { jsonOption } from './options.ts';
import { forgetSources } from './write.ts';
import { EXIT_OK, EXIT_USAGE, reportFailure } from './output.ts';
import { version } from './read.ts';

/** Runs a command line, prints to this process's stdout and stderr, and returns the exit code: 0 done, 1 failed, 2 bad usage. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  forgetSources();
  const json = argv.includes('--json');
  const program = new Command('maniple')
    .description('Animates and skins crowds of characters on the GPU.')
    .version(version())
    .addOption(jsonOption)
    .enablePositionalOptions() // --json may also precede the subcommand
    .hook('preAction', (_, command) => void (json && command.setOptionValue('json', true)));
  for (const command of createSubcommands()) program.addCommand(withExits(command, json, argv));
  withExits(program, json, argv);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return process.exitCode === undefined ? EXIT_OK : Number(process.exitCode);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return reportFailure(thrown, json);
    return thrown.exitCode === 0 ? EXIT_OK : EXIT_USAGE; // --help and --version, or the help where nothing was asked
  }
}

/** Makes commander throw its errors as ours, instead of printing them and exiting. */
function withExits(command: Command, json: boolean, argv: readonly string[]): Command {
  const silent = () => undefined;
  command.configureOutput(json ? { outputError: silent, writeErr: silent } : { outputError: silent });
  command.exitOverride((thrown) => {
    const nothingAsked = thrown.code === 'commander.help';
    if (thrown.exitCode === 0 || (nothingAsked && !json)) throw thrown;
    const names = command.commands.map((subcommand) => subcommand.name());
    const message = nothingAsked
      ? `no subcommand is named: ${names.join(', ')}.`
      : sentence(shorten(thrown.message.replace(/^error: /, ''), argv));
    const name = command.parent ? `maniple ${command.name()}` : 'maniple';
    fail('USAGE', command.name(), message, `Usage: ${name} ${command.usage()}; \`${name} --help\` explains.`);
  });
  return command;
}

/** Commander's clause with what it quotes of the command line cut short. */
function shorten(clause: string, argv: readonly string[]): string {
  const values = argv.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return values.reduce(
    (text, value) => (value === shortened(value) ? text : text.replaceAll(value, shortened(value))),
    clause,
  );
}

/** Commander's clause, and on its next line what it thinks was meant, as a sentence. */
function sentence(clause: string): string {
  return clause.replace('\n', ' ').replace(/[^.)]$/, '$&.');
}
