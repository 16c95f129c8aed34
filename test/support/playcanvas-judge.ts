import { AnimComponent, AnimStateGraph, AnimTrack, type Entity, GraphNode, version } from 'playcanvas';

/** PlayCanvas's own animator as an outside judge: its component, layers and controllers, without a scene or a page. */
export const PLAYCANVAS_VERSION: string = version;

/** What happens before the animator is advanced, and by how many seconds it is. */
export interface JudgeStep {
  readonly dt: number;
  readonly set?: Readonly<Record<string, number | boolean>>;
  readonly trigger?: readonly string[];
}

/** A layer after a step. */
export interface JudgedLayer {
  readonly name: string;
  /** The one it leads to, during a transition. */
  readonly active: string;
  /** The one it came from. */
  readonly previous: string | null;
  /** 0 to 1 during a transition, else null. */
  readonly transition: number | null;
  /** Seconds times the state's speed; not wrapped. */
  readonly timeInState: number;
  /** What exit times are compared with; null before the first clip plays. */
  readonly progress: number | null;
  /** Clips with some weight, by descending weight, then path. */
  readonly clips: readonly JudgedClip[];
}

export interface JudgedClip {
  /** The path that it is assigned to. */
  readonly clip: string;
  /** How many states were left before its own since the blend began; null for a clip of the active state. */
  readonly previous: number | null;
  /** Seconds. */
  readonly time: number;
  readonly weight: number;
  /** Cycles of the clip per second of it; what the animator last set. */
  readonly speed: number;
  readonly playing: boolean;
}

/** What is read of PlayCanvas beyond its public interface. */
interface Inside {
  readonly _controller: {
    readonly _timeInState: number;
    readonly _transitionPreviousStates: readonly { readonly name: string }[];
    readonly activeStateProgress: number | null;
    readonly animEvaluator: {
      readonly clips: readonly { name: string; time: number; blendWeight: number; speed: number; _playing: boolean }[];
    };
  };
}

/**
 * Plays a state graph with empty tracks, one for each path in `durations` (`State`, `State.child`), and says after each
 * step what every layer does. The graph is copied: PlayCanvas changes it.
 */
export function judgeGraph(
  graph: unknown,
  durations: Readonly<Record<string, number>>,
  steps: readonly JudgeStep[],
): JudgedLayer[][] {
  const system = { app: { assets: { get: () => null } }, schema: [], store: {} };
  const stub = system as unknown as ConstructorParameters<typeof AnimComponent>[0];
  // an Entity wants a running application; nothing here goes beyond a node
  const component = new AnimComponent(stub, new GraphNode('Root') as unknown as Entity);
  component.loadStateGraph(new AnimStateGraph(structuredClone(graph) as object));
  for (const layer of component.layers) {
    for (const state of layer.states) {
      const paths = Object.keys(durations).filter((path) => path === state || path.startsWith(`${state}.`));
      for (const path of paths) layer.assignAnimation(path, new AnimTrack(path, durations[path]!, [], [], []));
    }
  }
  if (!component.playable) throw new Error('PlayCanvas lacks a clip for some state');
  return steps.map((step) => {
    apply(component, step);
    component.update(step.dt);
    return component.layers.map((layer) => readLayer(layer, durations));
  });
}

function apply(component: AnimComponent, { set = {}, trigger = [] }: JudgeStep): void {
  const parameters = component.parameters as Record<string, { type: string }>;
  for (const [name, value] of Object.entries(set)) {
    if (parameters[name]?.type === 'FLOAT') component.setFloat(name, value as number);
    else if (parameters[name]?.type === 'INTEGER') component.setInteger(name, value as number);
    else component.setBoolean(name, value as boolean);
  }
  for (const name of trigger) component.setTrigger(name);
}

function readLayer(layer: AnimComponent['layers'][number], durations: Readonly<Record<string, number>>): JudgedLayer {
  const { _controller: controller } = layer as unknown as Inside;
  const { name, activeState: active, previousState: previous } = layer;
  const clips = controller.animEvaluator.clips
    .filter(({ blendWeight }) => blendWeight !== 0)
    .map(({ name: clipName, time, blendWeight, speed, _playing }): JudgedClip => {
      // PlayCanvas names a clip after its child of the tree, or its state, and numbers those of states that it left
      const [, node, number] = /^(.*?)(?:\.previous\.(\d+))?$/.exec(clipName)!;
      const left = number === undefined ? null : Number(number);
      const state = left === null ? active : controller._transitionPreviousStates[left]!.name;
      const path = `${state}.${node}`;
      const clip = path in durations ? path : state;
      return { clip, previous: left, time, weight: blendWeight, speed, playing: _playing };
    });
  clips.sort((a, b) => b.weight - a.weight || (a.clip < b.clip ? -1 : 1));
  const { _timeInState: timeInState, activeStateProgress: progress } = controller;
  return { name, active, previous, transition: layer.transitionProgress, timeInState, progress, clips };
}
