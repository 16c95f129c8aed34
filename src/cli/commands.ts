import { Argument, Command, type Option } from 'commander';
import {
  backendOption,
  benchSeconds,
  cameraView,
  characterCount,
  clipsOption,
  collect,
  bvhUnitOption,
  errorBudgetOption,
  extent,
  fbxUnitOption,
  fileName,
  fpsOption,
  frameCount,
  humanoidOption,
  jsonOption,
  lodsOption,
  mirrorOption,
  option,
  OUTPUTS,
  pictureSize,
  sampleCount,
  seconds,
  seedOption,
  shardOf,
  someName,
  unityProjectOption,
  vertexFormatOption,
  videoFile,
} from './options.ts';

/** The command line of a subcommand, such as `maniple bake FILE --out x.maniple`, and what runs it. */
interface Subcommand {
  readonly description: string;
  readonly argument?: Argument;
  readonly options: readonly Option[];
  /** Text below the help. */
  readonly notes?: string;
  readonly action: Parameters<Command['action']>[0];
}

/** An action that loads its code only when it runs. */
function lazily<A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) {
  return async (...args: A): Promise<void> => (await load())(...args);
}

const file = (name: string, description: string): Argument => new Argument(name, description).argParser(fileName);
const CHARACTER = file('<file>', "a .glb, .gltf, .vrm, .fbx, .bvh or .maniple file, or Unity's humanoid clip (.anim)");
const CONTROLLER = file('<controller>', "a controller as JSON, Unity's .controller, or PlayCanvas's anim state graph");

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  render: {
    description:
      'Draw a crowd to a PNG, a sequence of PNGs or a video. Files are drawn in ranks; without files, two armies of our own fight.',
    argument: new Argument('[files...]', '.glb, .gltf, .vrm, .fbx, .bvh or .maniple files').argParser(
      collect(fileName),
    ),
    options: [
      option('--count <n>', 'number of characters (default: 1000 in the battle, else 100)', characterCount),
      option(
        '--out <file>',
        'the PNG to write (default: out/battle.png, or out/<name>.png). A sequence is written to out/battle/0001.png and so on, or by a pattern like out/battle-%04d.png',
        fileName,
      ),
      option(
        '--frames <n>',
        'number of frames; 1: a picture. Frames that a longer sequence left in the same place are an error',
        frameCount,
      ).default(1),
      fpsOption,
      option(
        '--shard <i/n>',
        'draw only every n-th frame, beginning with the i-th. Shards 1/n to n/n, on any machines, draw the whole sequence',
        shardOf,
      ),
      option('--resume', 'draw only missing frames, after a run with the same options that did not finish'),
      option('--video <file>', 'also encode the frames to this .webm file (VP9)', videoFile),
      option('--orbit <degrees>', 'turn the camera around its target by this angle over the whole sequence', extent),
      option('--size <WxH>', 'width and height in pixels (default: 1280x720; with --backend cpu 320x180)', pictureSize),
      option(
        '--camera <eye/target>',
        'eye and target in metres: x,y,z/x,y,z. A third part, /degrees, is the vertical field of view. (Default: frames every character in every frame. In the battle, looks along the line where both sides meet)',
        cameraView,
      ),
      option(
        '--output <what>',
        'color: the lit picture. Debug views: depth; normals; ids: a colour for each character; velocity: motion since the last frame. More debug views: lod: level of detail; rate: how often each is posed; slots: vertex memory; bounds; joints; overdraw: triangles per pixel',
      )
        .choices(Object.keys(OUTPUTS))
        .default('color'),
      option(
        '--renderer <which>',
        'visibility: finds the triangle of each pixel, then shades each pixel once. forward: shades triangles as they are drawn, and is faster on software adapters. (Default: forward for debug views, and on software adapters without --samples; else visibility)',
      ).choices(['visibility', 'forward']),
      option(
        '--samples <n>',
        'samples per pixel of the visibility renderer, up to 64 (default: 4; with --backend cpu 1)',
        sampleCount,
      ),
      option(
        '--clip <name|n>',
        'the clip to play: its exact name, or its index in the file, from 0. May repeat: each character then plays one of them (default: each plays one of all clips that move)',
        collect(someName),
      ),
      option(
        '--controller <file>',
        "play a controller: JSON, Unity's .controller, or PlayCanvas's anim state graph. Each character begins at another moment of the first state, with the parameters of the file",
        fileName,
      ),
      clipsOption,
      unityProjectOption,
      backendOption(
        'gpu: simulate and draw with GPU kernels; cpu: with their twins, which need no GPU and are for small pictures (0.1 ms a pixel). The forward renderer always draws on a GPU',
      ),
      seedOption,
      errorBudgetOption,
      bvhUnitOption,
      fbxUnitOption,
      lodsOption,
      jsonOption,
    ],
    notes:
      '\nCharacters are placed so that none touches another in any frame. Up to 4,000,000 posed vertices are measured for that;\nbeyond, the larger bounds of clips are used. A file without clips shows its rest pose, and the command says so.\nWith --json, `playing` lists the clips that played, by file.',
    action: lazily(async () => (await import('./actions/render.ts')).runRender),
  },
  encode: {
    description: 'Encode the frames of a sequence as a video, for example after shards have drawn them.',
    argument: new Argument('<pattern>', 'PNGs by number, as render names them: out/battle/%04d.png'),
    options: [
      option('--out <file>', 'the .webm file to write (VP9)', videoFile).makeOptionMandatory(),
      option(
        '--frames <n>',
        'the number of frames that must be there; fewer, more or gaps are errors (default: all that are there; gaps are errors)',
        frameCount,
      ),
      fpsOption,
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/encode.ts')).runEncode),
  },
  inspect: {
    description:
      'Show a character: size, facing, joints, parts, materials, levels of detail, clips with motion and measured error, memory, repairs.',
    argument: CHARACTER,
    options: [
      errorBudgetOption,
      bvhUnitOption,
      fbxUnitOption,
      vertexFormatOption,
      lodsOption,
      option(
        '--joints <which>',
        'joints to list. some: those near the roots, with chains on one line; all: every joint',
      )
        .choices(['some', 'all'])
        .default('some'),
      option('--plot <file>', 'draw the bones of its humanoid, and how sure each is, to this SVG file', fileName),
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/inspect.ts')).runInspect),
  },
  pose: {
    description:
      'Print all joints and every vertex of a character at one moment of a clip, as the crowd would show it.',
    argument: CHARACTER,
    options: [
      option(
        '--clip <name|n>',
        'the clip: its exact name, or its index in the file, from 0 (default: the rest pose)',
        collect(someName),
      ),
      option(
        '--time <seconds>',
        'seconds from the start of the clip; beyond its ends, the first or last pose (default: 0)',
        collect(seconds),
      ),
      backendOption(),
      errorBudgetOption,
      bvhUnitOption,
      fbxUnitOption,
      option('--out <file>', 'write the JSON to this file instead of stdout', fileName),
      jsonOption,
    ],
    notes:
      '\n--clip and --time may repeat. Equal numbers of both make pairs; a single one goes with every other.\nThe output is then an array.',
    action: lazily(async () => (await import('./actions/pose.ts')).runPose),
  },
  simulate: {
    description: 'Run a controller by a script, and print states, clocks, weights and events after every step.',
    argument: CONTROLLER,
    options: [
      option(
        '--script <file>',
        'JSON with the steps: [{"dt":0.016,"set":{"speed":1.2},"trigger":["attack"]}, …]',
        fileName,
      ).makeOptionMandatory(),
      option(
        '--character <file>',
        'the character that plays the clips; without one, the files of the clips give their lengths',
        fileName,
      ),
      clipsOption,
      unityProjectOption,
      option('--out <file>', 'write the result as JSON to this file', fileName),
      option('--plot <file>', 'draw a chart of states, weights and parameters over time to this SVG file', fileName),
      backendOption(),
      errorBudgetOption,
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/simulate.ts')).runSimulate),
  },
  graph: {
    description: 'Draw a controller: layers, states, transitions with their conditions, blend trees, parameters.',
    argument: CONTROLLER,
    options: [
      option('--out <file>', 'the SVG file to write', fileName).makeOptionMandatory(),
      clipsOption,
      unityProjectOption,
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/graph.ts')).runGraph),
  },
  convert: {
    description: "Convert Unity's and PlayCanvas's controllers and clips into JSON that Maniple loads.",
    argument: file('<file>', "Unity's .controller, .overrideController or .anim, or PlayCanvas's anim state graph"),
    options: [
      option('--out <file>', 'the JSON file to write', fileName).makeOptionMandatory(),
      clipsOption,
      unityProjectOption,
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/convert.ts')).runConvert),
  },
  bake: {
    description: 'Pack a character into a .maniple file, which loads faster and without the code of importers.',
    argument: file('<file>', 'a .glb, .gltf, .vrm, .fbx or .bvh file'),
    options: [
      option('--out <file>', 'the .maniple file to write', fileName).makeOptionMandatory(),
      errorBudgetOption,
      bvhUnitOption,
      fbxUnitOption,
      vertexFormatOption,
      lodsOption,
      option(
        '--clips <names or files...>',
        "clips to bake, by name or index, with commas between (default: all). Also files with more clips: .glb, .gltf, .vrm, .bvh, .fbx or Unity's .anim. file#clip takes one of a file. Clips of other skeletons are retargeted",
        collect(someName),
      ),
      humanoidOption,
      mirrorOption,
      option(
        '--first <names>',
        'clips that come first where the file is loaded progressively; given like --clips (default: the first)',
        collect(someName),
      ),
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/bake.ts')).runBake),
  },
  retarget: {
    description: 'Write a GLB with a character and the clips of other files, retargeted to its skeleton.',
    argument: file('<file>', 'the character: a .glb or .vrm file'),
    options: [
      option(
        '--clips <files...>',
        "files with clips: .glb, .gltf, .vrm, .bvh, .fbx or Unity's .anim. file#clip takes one clip of a file",
        collect(someName),
      ).makeOptionMandatory(),
      option('--out <file>', 'the GLB file to write', fileName).makeOptionMandatory(),
      option(
        '--plot <file>',
        'draw source and target at the same moments, the slide of feet over time, and the bones of both to this SVG file',
        fileName,
      ),
      bvhUnitOption,
      fbxUnitOption,
      humanoidOption,
      mirrorOption,
      jsonOption,
    ],
    action: lazily(async () => (await import('./actions/retarget.ts')).runRetarget),
  },
  replay: {
    description: 'Run the stages of a captured frame again, each from its captured inputs, and show differences.',
    argument: file('<file>', 'a capture, made by writeCapture'),
    options: [
      option('--stage <name>', 'run only this stage (default: all stages of the capture)', someName),
      backendOption(),
      jsonOption,
    ],
    notes:
      '\nExit code 0: every replayed stage gave the captured result. 1: a stage differs, also where only by rounding,\nas between kernels and twins, or no stage could be replayed.',
    action: lazily(async () => (await import('./actions/replay.ts')).runReplay),
  },
  bench: {
    description:
      'Measure every stage of the frame on this GPU: work, bytes, time, and the time of a plain read and write of those bytes.',
    argument: new Argument('[scenes...]', 'what to measure (default: all)').argParser(collect(someName)),
    options: [
      option('--count <n>', "number of characters, instead of each scene's own; may repeat", collect(characterCount)),
      option(
        '--seconds <s>',
        'time after which no measurement begins. More time is spent on more rounds, which lower the noise',
        benchSeconds,
      ).default(120),
      option('--out <file>', 'write the result as JSON to this file', fileName),
      option('--plot <file>', 'draw the result as a chart to this SVG file', fileName),
      option(
        '--compare <file>',
        'JSON of an earlier run: list what differs by more than noise. Exit code 1 if something is slower',
        fileName,
      ),
      option(
        '--from <file>',
        'measure nothing; show, draw or compare the JSON of an earlier run. May repeat, for runs of other scenes on the same adapter',
        collect(fileName),
      ),
      jsonOption,
    ],
    notes: `
Scenes:
  gallery   32 types of 16 to 78 joints, each with a clip and a mesh of its own
  million   soldiers with the battle's controllers: 1,000 to 1,000,000, all stepped, posed and skinned
  parade    soldiers at full detail, each playing a clip: all posed and skinned
  battle    levels of detail, update rates, a picture and its shadows: whole frames
Comparisons with other ways to do the same:
  poses     the three passes of a published article
  skins     the kernel of a published article
  passes    skinning in every draw, with 1, 3 and 5 passes
  machines  PlayCanvas's animator, if the package playcanvas is installed
  three     mixers, compute skinning and vertex textures of three.js, if the package three is installed

Close other programs that use the GPU. MANIPLE_GPU=hardware|software chooses the adapter.`,
    action: lazily(async () => (await import('./actions/bench.ts')).runBenchCommand),
  },
  doctor: {
    description: 'Show the GPU, its limits and the kernels that run on it, or how to get one.',
    options: [jsonOption],
    notes: '\nMANIPLE_GPU=auto|hardware|software|null chooses the adapter.',
    action: lazily(async () => (await import('./actions/doctor.ts')).runDoctor),
  },
};

/** All subcommands, in the order of the help. */
export function createSubcommands(): Command[] {
  return Object.entries(SUBCOMMANDS).map(([name, { description, argument, options, notes, action }]) => {
    const command = new Command(name).description(description).action(action);
    if (argument) command.addArgument(argument);
    for (const each of options) command.addOption(each);
    return notes === undefined ? command : command.addHelpText('after', notes);
  });
}
