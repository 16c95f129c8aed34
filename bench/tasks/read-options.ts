import { parseArgs, type ParseArgsConfig } from 'node:util';

type ParsedOptions = NonNullable<ParseArgsConfig['options']>;

/** Options of a bench, as `parseArgs` takes them, each with a line of help. */
type BenchOptions = Readonly<
  Record<
    string,
    ParsedOptions[string] & {
      /** Name of its value in the help, such as `N`. Left out for options without a value. */
      readonly value?: string;
      readonly help: string;
      /** Says which default applies where `default` cannot: it depends on the adapter, for instance. */
      readonly defaultText?: string;
    }
  >
>;

/** Options of every bench. */
const COMMON = {
  json: { type: 'boolean', default: false, help: 'results as JSON' },
  help: { type: 'boolean', default: false, help: 'lists these options' },
} as const satisfies BenchOptions;

/**
 * Reads the command line of a bench. With `--help` it prints the options and ends the process. It also ends the process if an option
 * is wrong. Call it before anything that opens a device.
 * @param about What the bench measures, in a sentence or two.
 */
export function readOptions<const T extends BenchOptions>(
  about: string,
  options: T,
): ReturnType<typeof parseArgs<{ options: T & typeof COMMON }>>['values'] {
  const all = { ...options, ...COMMON };
  const parse = () =>
    parseArgs<{ allowNegative: true; options: T & typeof COMMON }>({ allowNegative: true, options: all });
  let values;
  try {
    ({ values } = parse());
  } catch (thrown) {
    console.error(`${(thrown as Error).message}\nWith --help the bench lists its options.`);
    process.exit(2);
  }
  if ((values as { help?: boolean }).help === true) {
    console.log([about, ...helpLines(all)].join('\n'));
    process.exit(0);
  }
  return values;
}

/** A line for each option: its name, the name of its value, and its help with the default. */
function helpLines(options: BenchOptions): string[] {
  const rows = Object.entries(options).map(([name, option]) => {
    const { value, help, multiple, default: standard, defaultText } = option;
    const text = defaultText ?? (typeof standard === 'boolean' ? undefined : standard && [standard].flat().join(', '));
    const notes = [...(multiple === true ? ['may be repeated'] : []), ...(text ? [`default: ${text}`] : [])];
    const flag = `  --${standard === true ? 'no-' : ''}${name}${value === undefined ? '' : ` ${value}`}`;
    return [flag, notes.length > 0 ? `${help} (${notes.join('; ')})` : help] as const;
  });
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => name.padEnd(width) + text);
}
