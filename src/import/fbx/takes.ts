import { quoted } from '../../errors.ts';
import type { FbxNode } from './node.ts';
import { Curve, TICKS_PER_SECOND } from './curve.ts';
import type { FbxDocument, FbxObject } from './document.ts';

/** An animated property of an object: its values over time, by layers. */
export type ChannelPath = 'translation' | 'rotation' | 'scale' | 'weight';

const PROPERTIES: Readonly<Record<string, ChannelPath>> = {
  'Lcl Translation': 'translation',
  'Lcl Rotation': 'rotation',
  'Lcl Scaling': 'scale',
  DeformPercent: 'weight',
};
const COMPONENTS: Readonly<Record<ChannelPath, readonly string[]>> = {
  translation: ['X', 'Y', 'Z'],
  rotation: ['X', 'Y', 'Z'],
  scale: ['X', 'Y', 'Z'],
  weight: ['DeformPercent'],
};

/** Layers of one property. */
const MAX_LAYERS = 64;

/** How a layer changes what is below it. */
interface Layer {
  readonly name: string;
  /** 0 to 1. */
  readonly weight: number;
  readonly isOverride: boolean;
}

/** Curves of a property in one layer. */
interface LayerCurves {
  readonly layer: Layer;
  /** Undefined for a component that has none: its value is the default. */
  readonly curves: readonly (Curve | undefined)[];
  readonly defaults: readonly number[];
}

/** The values of one property in a take. */
export class Channel {
  readonly #layers: LayerCurves[] = [];

  constructor(readonly path: ChannelPath) {}

  add(layer: LayerCurves): void {
    this.#layers.push(layer);
  }

  get layerCount(): number {
    return this.#layers.length;
  }

  get curves(): Curve[] {
    return this.#layers.flatMap(({ curves }) => curves.flatMap((curve) => curve ?? []));
  }

  /** Writes the property's values at a time of the file, in the file's units. */
  evaluate(time: number, out: Float64Array): void {
    const own = new Float64Array(out.length);
    this.#layers.forEach(({ layer, curves, defaults }, index) => {
      for (let c = 0; c < out.length; c++) own[c] = curves[c]?.evaluate(time, defaults[c]!) ?? defaults[c]!;
      if (index === 0) out.set(own);
      else blend(this.path, layer, own, out);
    });
  }
}

/** Additive layers add, and multiply scales; those that override mix with what is below. */
function blend(path: ChannelPath, { weight, isOverride }: Layer, own: Float64Array, out: Float64Array): void {
  for (let c = 0; c < out.length; c++) {
    if (isOverride) out[c] = out[c]! * (1 - weight) + own[c]! * weight;
    else if (path === 'scale') out[c] = out[c]! * Math.sign(own[c]!) * Math.abs(own[c]!) ** weight;
    else out[c] = out[c]! + own[c]! * weight;
  }
}

/** Times of a take, and everything that it animates. */
export interface Take {
  readonly name: string;
  readonly place: string;
  /** Seconds of the file's time line. */
  readonly start: number;
  readonly stop: number;
  readonly channels: ReadonlyMap<FbxObject, ReadonlyMap<ChannelPath, Channel>>;
}

/** Reads all takes that have curves, in file order. */
export function readTakes(document: FbxDocument): Take[] {
  const reader = new TakeReader(document);
  const takes = (document.objects.get('AnimationStack') ?? []).flatMap((stack) => reader.read(stack) ?? []);
  reader.report();
  return takes;
}

class TakeReader {
  readonly #curves = new Map<FbxObject, Curve>();
  readonly #ignored = new Map<string, number>();
  #keys = 0;
  readonly #faults = { dropped: 0, tcb: 0, velocity: 0, repeating: 0 };

  readonly #listedTakes: ReadonlyMap<string | undefined, FbxNode>;

  constructor(readonly document: FbxDocument) {
    const takes = document.root.child('Takes')?.childrenNamed('Take') ?? [];
    this.#listedTakes = new Map(takes.map((take) => [take.text(0), take]));
  }

  read(stack: FbxObject): Take | undefined {
    const { issues } = this.document;
    const channels = new Map<FbxObject, Map<ChannelPath, Channel>>();
    const layers = stack.sourcesOf('AnimationLayer');
    const hasSolo = layers.some((layer) => layer.number('Solo', 0) !== 0);
    for (const [index, object] of layers.entries()) {
      if (object.number('Mute', 0) !== 0 || (hasSolo && object.number('Solo', 0) === 0)) {
        issues.info('FBX_IGNORED', object.place, 'the layer is muted; it has no effect');
        continue;
      }
      const weight = Math.min(1, Math.max(0, object.number('Weight', 100) / 100));
      this.#reportLayer(object, index);
      const layer = { name: object.name, weight, isOverride: object.number('BlendMode', 0) !== 0 };
      for (const curveNode of object.sourcesOf('AnimationCurveNode')) this.#addCurves(curveNode, layer, channels);
    }
    const all = [...channels.values()].flatMap((paths) => [...paths.values()]);
    this.#reportBlended(stack, all);
    const name = stack.name;
    const curves = all.flatMap((channel) => channel.curves).filter(({ times }) => times.length > 0);
    if (curves.length === 0) {
      issues.info('FBX_IGNORED', stack.place, 'the take has no keys that move a node; it makes no clip');
      return undefined;
    }
    return { name, place: stack.place, ...this.#spanOf(stack, curves), channels };
  }

  #addCurves(node: FbxObject, layer: Layer, channels: Map<FbxObject, Map<ChannelPath, Channel>>): void {
    const curveOf = new Map(node.sources.map(({ object, property }) => [property, object]));
    for (const { object, property = '' } of node.targets) {
      if (object.kind === 'AnimationLayer') continue;
      const path = Object.hasOwn(PROPERTIES, property) ? PROPERTIES[property] : undefined;
      if (path === undefined || (path === 'weight') !== (object.kind === 'Deformer')) {
        if (node.sources.length > 0) this.#ignored.set(property, (this.#ignored.get(property) ?? 0) + 1);
        continue;
      }
      const components = COMPONENTS[path];
      const curves = components.map((component) => {
        const found = curveOf.get(`d|${component}`);
        return found?.kind === 'AnimationCurve' ? this.#curve(found) : undefined;
      });
      const rest = path === 'weight' ? [object.number(property, 0)] : object.vector(property, REST[path]);
      const defaults = components.map((component, c) => node.number(`d|${component}`, rest[c]!));
      const paths = channels.get(object) ?? new Map<ChannelPath, Channel>();
      channels.set(object, paths);
      const channel = paths.get(path) ?? new Channel(path);
      paths.set(path, channel);
      if (channel.layerCount === MAX_LAYERS) this.document.budget.over('layers', MAX_LAYERS + 1, MAX_LAYERS);
      channel.add({ layer, curves, defaults });
    }
  }

  #curve(object: FbxObject): Curve {
    const known = this.#curves.get(object);
    const curve = known ?? new Curve(object);
    // keys count for each use of a curve, in every take
    const { budget, limits } = this.document;
    this.#keys += 1 + curve.times.length;
    if (this.#keys > limits.keys) budget.over('keys', this.#keys, limits.keys);
    if (known) return known;
    this.#curves.set(object, curve);
    this.#faults.dropped += curve.faults.dropped;
    this.#faults.tcb += curve.faults.tcb;
    this.#faults.velocity += curve.faults.velocity;
    if (curve.faults.repeats) this.#faults.repeating++;
    return curve;
  }

  /** The take's own span, else what the file's list of takes says, else that of its keys. */
  #spanOf(stack: FbxObject, curves: readonly Curve[]): { start: number; stop: number } {
    const seconds = (ticks: number): number => ticks / TICKS_PER_SECOND;
    let [first, last] = [Infinity, -Infinity];
    for (const { times } of curves) {
      first = Math.min(first, times[0]!);
      last = Math.max(last, times.at(-1)!);
    }
    const listed = this.#listedTakes.get(stack.name)?.child('LocalTime');
    const spans = [
      [stack.number('LocalStart', 0), stack.number('LocalStop', 0)],
      [listed?.number(0) ?? 0, listed?.number(1) ?? 0],
    ].map(([from, to]) => [seconds(from!), seconds(to!)] as const);
    const given = spans.find(([from, to]) => to > from);
    if (given && given[0] <= last && given[1] >= first) {
      const [start, stop] = given;
      if (first < start - 1e-6 || last > stop + 1e-6) {
        const message = `keys from ${first} to ${last} s; the take is from ${start} to ${stop} s, which is the clip`;
        this.document.issues.info('FBX_IGNORED', stack.place, `The take has ${message}`);
      }
      return { start, stop };
    }
    const why = given ? 'the span of the take has none of its keys' : 'the take has no span';
    this.document.issues.info('FBX_SIMPLIFIED', stack.place, `${why}; the clip is from the first key to the last`);
    return { start: first, stop: last };
  }

  #reportLayer(layer: FbxObject, index: number): void {
    const animated = layer.sources.some(({ property }) => property === 'Weight');
    if (!animated || index === 0) return;
    const message = 'the weight of the layer is animated; its constant value was used';
    this.document.issues.warn('FBX_SIMPLIFIED', layer.place, message);
  }

  #reportBlended(stack: FbxObject, channels: readonly Channel[]): void {
    const blended = channels.filter(({ layerCount, path }) => layerCount > 1 && path === 'rotation').length;
    if (blended === 0) return;
    const message = `${blended} rotations are blended from several layers, angle by angle`;
    this.document.issues.warn('FBX_SIMPLIFIED', stack.place, message, 'Merge the layers before you export.');
  }

  report(): void {
    const { issues } = this.document;
    const { dropped, tcb, velocity, repeating } = this.#faults;
    for (const [property, count] of [...this.#ignored].slice(0, 50)) {
      const message = `${count} animations of ${quoted(property)} have no effect`;
      issues.info('FBX_IGNORED', '/AnimationCurveNode', message);
    }
    if (dropped > 0) {
      const message = `${dropped} keys are unusable or not later than the one before; they were dropped`;
      issues.warn('GLTF_KEYS_REPAIRED', '/AnimationCurve', message);
    }
    if (tcb > 0) {
      const message = `${tcb} keys have tension, continuity and bias, which are approximated`;
      issues.warn('FBX_SIMPLIFIED', '/AnimationCurve', message, 'Bake the animation before you export.');
    }
    if (velocity > 0) {
      issues.warn('FBX_SIMPLIFIED', '/AnimationCurve', `${velocity} keys have velocities, which are not evaluated`);
    }
    if (repeating > 0) {
      const message = `${repeating} curves repeat before or after their keys; their end values hold instead`;
      issues.warn('FBX_SIMPLIFIED', '/AnimationCurve', message, 'Bake the animation before you export.');
    }
  }
}

const REST = { translation: [0, 0, 0], rotation: [0, 0, 0], scale: [1, 1, 1] } as const;
