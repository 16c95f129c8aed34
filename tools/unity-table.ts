// Imports every shared Unity file and writes the results to docs/tables/unity.md; with --check it only compares.
// Exits 1 when a file cannot be imported, or, with --check, when the table is not up to date.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { importUnityClip, importUnityController } from '../src/import/index.ts';
import { formatIssue, type Issue, issuesOf } from '../src/errors.ts';
import { countController } from '../test/import/count-controller.ts';
import { Random } from '../test/support/random.ts';
import { shared } from '../test/support/shared.ts';
import { randomScript, simulateAlone, visited } from '../test/support/simulate-randomly.ts';
import { root } from './shader-sources.ts';

const folder = path.join(shared, 'unity');
const target = path.join(root, 'docs/tables/unity.md');
const controllers: string[] = [];
const clips: string[] = [];
const notes: string[] = [];
let failed = 0;
/** Steps of the random script that each controller is played by. */
const SIMULATED = 300;

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

function note(file: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  notes.push(`### ${file}`, '', ...issues.map((issue) => `- ${formatIssue(issue).replaceAll('_', '\\_')}`), '');
}

for (const file of readdirSync(folder).sort()) {
  if (!/\.(controller|anim)$/.test(file)) continue;
  const text = readFileSync(path.join(folder, file), 'utf8');
  try {
    if (file.endsWith('.anim')) {
      const { duration, loops, tracks, root, facts, issues } = importUnityClip(text);
      const keys = tracks.reduce((sum, { times }) => sum + times.length, 0);
      const seconds = Number(duration.toFixed(4));
      const events = facts.events?.length ?? 0;
      clips.push(
        row([file, seconds, loops ? 'yes' : 'no', tracks.length, keys, root ? 'yes' : 'no', events, issues.length]),
      );
      note(file, issues);
    } else {
      const { controller } = importUnityController(text);
      const { states, machines, transitions, entries, trees, clips: played } = countController(controller);
      const issues = controller.issues ?? [];
      const seen = visited(await simulateAlone(controller, randomScript(controller, new Random(11), SIMULATED)));
      const own = [controller.layers.length, machines, states, transitions, entries, trees, played];
      const counts = [...own, seen.states, seen.changes, issues.length];
      controllers.push(row([file, Object.keys(controller.parameters).length, ...counts]));
      note(file, issues);
    }
  } catch (thrown) {
    failed++;
    note(file, issuesOf(thrown));
  }
}

const table = `# Unity's files, as imported

Files of other projects and two written for this one, imported. Transitions are those of states and from any state, after
mute and solo. Entries are the ways into machines and out of them. Clips are counted each time one is played. Each
controller was then simulated for ${SIMULATED} steps while a random script (seed 11) changed its parameters: states that were seen, over
all layers, and changes of state. Issues are listed below. Made by \`npm run unity-table\`.

## Controllers

${row(['file', 'parameters', 'layers', 'machines', 'states', 'transitions', 'entries', 'trees', 'clips', 'states seen', 'changes', 'issues'])}
${row(Array.from({ length: 12 }, () => '---'))}
${controllers.join('\n')}

## Clips

${row(['file', 'seconds', 'loops', 'tracks', 'keys', 'root motion', 'events', 'issues'])}
${row(Array.from({ length: 8 }, () => '---'))}
${clips.join('\n')}

## Issues

${notes.join('\n')}`;

async function main(): Promise<void> {
  const { code: text } = await format('table.md', table, { printWidth: 120 });
  if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== text) failed++;
  } else {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  console.log(failed === 0 ? 'all imported' : `${failed} failures`);
  process.exit(failed === 0 ? 0 : 1);
}

void main();
