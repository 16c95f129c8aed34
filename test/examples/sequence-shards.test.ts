// Sequences that many processes or machines share: the scripts run here, one shard killed; the files for clusters are read.
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createSubcommands } from '../../src/cli/commands.ts';
import { answer, commandLine, type Run, root } from '../cli/maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { full, hasTurn, testInTurn } from '../support/setup.ts';

const examples = path.join(root, 'examples/sequence');
const text = (name: string) => readFileSync(path.join(examples, name), 'utf8');
const folder = temporaryFolder();

/** Runs a script of the example. */
function runScript(name: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...env } };
    execFile('sh', [path.join(examples, name), ...args], options, (failure, stdout, stderr) => {
      resolve({ code: failure ? Number(failure.code) : 0, stdout, stderr });
    });
  });
}

/** A triangle that moves, which takes little time to draw. */
function triangle(): string {
  const gltf = new GltfBuilder();
  const node = gltf.meshNode([gltf.triangle()]);
  gltf.clip([{ node, path: 'translation', times: [0, 4], values: [0, 0, 0, 1, 2, 0], type: 'VEC3' }]);
  const file = path.join(folder, 'triangle.glb');
  writeFileSync(file, gltf.glb());
  return file;
}

/** The command, whose first run of one shard is killed as soon as that has drawn its first frame. */
function dyingCommand(out: string, shard: string): string {
  const line = [process.execPath, ...commandLine([])].map((word) => `'${word}'`).join(' ');
  const first = `${out}/${shard.split('/')[0]!.padStart(4, '0')}.png`;
  const script = `case "$*" in *"--shard ${shard}"*)
  if mkdir '${folder}/killed' 2>/dev/null; then
    ${line} "$@" &
    while kill -0 $! && [ ! -e '${first}' ]; do sleep 0.01; done
    kill -9 $!
    wait $!
    code=$?
    ls '${out}' > '${folder}/at-death'
    exit $code
  fi
esac
exec ${line} "$@"
`;
  const file = path.join(folder, 'maniple.sh');
  writeFileSync(file, script);
  return `sh ${file}`;
}

describe.runIf(process.platform !== 'win32' && hasTurn(2))('shards on one machine', () => {
  const [frames, shards, count] = full ? [48, 4, 6] : [8, 2, 1];
  const options = [triangle(), '--count', `${count}`, '--size', '16x16', '--backend', 'cpu'];
  const name = (number: number) => `${String(number).padStart(4, '0')}.png`;
  const names = Array.from({ length: frames }, (_, i) => name(i + 1));

  testInTurn(1)(
    'a shard that is killed is drawn again, and all frames are those of one run',
    async () => {
      const out = path.join(folder, 'shards');
      const MANIPLE = dyingCommand(out, `2/${shards}`);
      const whole = answer(['render', ...options, '--frames', `${frames}`, '--out', path.join(folder, 'whole.png')]);
      const env = { MANIPLE, FRAMES: `${frames}`, SHARDS: `${shards}`, JOBS: '2' };
      const run = await runScript('shards.sh', [out, ...options], env);
      expect(run, run.stderr).toMatchObject({ code: 0 });
      expect(run.stderr).toContain(`shard 2/${shards} ended with 137; attempt 2`);
      const atDeath = readFileSync(path.join(folder, 'at-death'), 'utf8').split('\n');
      const mine = names.filter((_, i) => i % shards === 1);
      const drawn = mine.filter((frame) => atDeath.includes(frame));
      expect(drawn[0]).toBe(mine[0]);
      expect(drawn.length).toBeLessThan(mine.length);
      // only what is missing is drawn again
      expect(run.stdout).toContain(`: ${mine.length - drawn.length} frames of ${count} characters`);
      await whole;
      expect(readdirSync(out).sort()).toEqual(names);
      for (const frame of names) {
        const [ours, theirs] = ['shards', 'whole'].map((run) => readFileSync(path.join(folder, run, frame)));
        expect(ours!.equals(theirs!), frame).toBe(true);
      }
      expect(readFileSync(`${out}.webm`).length).toBeGreaterThan(200);
    },
    600_000,
  );

  test('a shard that dies again and again ends the whole; wrong usage is not tried again', async () => {
    const log = path.join(folder, 'attempts');
    const ending = (code: number) => {
      const file = path.join(folder, `exit-${code}.sh`);
      writeFileSync(file, `echo "$@" >> '${log}-${code}'; exit ${code}\n`);
      return { MANIPLE: `sh ${file}`, SHARDS: '1', ATTEMPTS: '2' };
    };
    const attempts = (code: number) => readFileSync(`${log}-${code}`, 'utf8').trim().split('\n').length;
    expect((await runScript('shards.sh', ['out/never'], ending(7))).code).not.toBe(0);
    expect(attempts(7)).toBe(2); // and no encoding
    expect((await runScript('shards.sh', ['out/never'], ending(2))).code).not.toBe(0);
    expect(attempts(2)).toBe(1);
  });
});

describe('files for clusters', () => {
  const flags = (name: string) =>
    createSubcommands()
      .find((command) => command.name() === name)!
      .options.map(({ long }) => long);
  const known = { render: flags('render'), encode: flags('encode') };

  test.runIf(process.platform !== 'win32')('the scripts are shell', () => {
    for (const name of ['shard.sh', 'shards.sh']) execFileSync('sh', ['-n', path.join(examples, name)]);
    execFileSync('bash', ['-n', path.join(examples, 'slurm.sbatch')]);
    expect(text('slurm.sbatch')).toMatch(/^#!\/bin\/bash\n/);
  });

  test('what they run is what the command takes', () => {
    for (const file of ['shard.sh', 'shards.sh', 'slurm.sbatch', 'job.yaml', 'encode.yaml']) {
      const lines = text(file)
        .replaceAll(/\\\n|\n\s+(?=--)/g, ' ')
        .split('\n');
      for (const line of lines.filter((each) => !each.startsWith('#SBATCH'))) {
        const command = /\bencode\b/.test(line) ? 'encode' : /\brender\b|shards?\.sh/.test(line) ? 'render' : undefined;
        if (!command) continue;
        const from = Math.max(line.indexOf(`${command} `), line.search(/shards?\.sh/), line.indexOf('[encode'));
        for (const [flag] of line.slice(from).matchAll(/--[a-z][a-z-]*/g)) {
          expect(known[command], `${file}: ${line}`).toContain(flag);
        }
      }
    }
  });

  interface Job {
    readonly kind: string;
    readonly spec: {
      readonly completionMode?: string;
      readonly completions?: number;
      readonly template: { spec: { restartPolicy: string; containers: { args: string[]; command?: string[] }[] } };
    };
  }

  test('the jobs of Kubernetes draw every shard once, and encode as many frames', () => {
    const [draw, encode] = ['job.yaml', 'encode.yaml'].map((file) => parse(text(file)) as Job) as [Job, Job];
    expect([draw.kind, encode.kind]).toEqual(['Job', 'Job']);
    expect(draw.spec).toMatchObject({ completionMode: 'Indexed', completions: 16, backoffLimitPerIndex: 3 });
    const [container] = draw.spec.template.spec.containers;
    expect(draw.spec.template.spec.restartPolicy).toBe('Never');
    const line = container!.args[0]!.replace('exec maniple', 'echo');
    const shardOf = (index: number) => {
      const env = { ...process.env, JOB_COMPLETION_INDEX: `${index}` };
      return execFileSync('sh', ['-c', line], { env, encoding: 'utf8' }).trim();
    };
    expect(shardOf(0)).toMatch(/--shard 1\/16 --resume$/);
    expect(shardOf(15)).toMatch(/--frames 240 .*--shard 16\/16 --resume$/);
    expect(encode.spec.template.spec.containers[0]!.args.join(' ')).toContain('--frames 240 ');
  });

  test('the image has the packages that the command is tested with', () => {
    const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const packages = Array.from(text('Containerfile').matchAll(/ (@?[\w./-]+)@(\d[\w.]*)/g), ([, name, version]) => [
      name!,
      version!,
    ]);
    expect(packages).toHaveLength(3);
    for (const [name, version] of packages) expect(devDependencies[name!], name).toBe(version);
  });
});
