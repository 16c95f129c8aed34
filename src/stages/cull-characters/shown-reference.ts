import { type ControllerTable, controllerTable } from '../../controller/eval/controller-view.ts';
import { type AnimatorMemory, animatorMemory, type CharacterParameters } from '../../controller/eval/memory.ts';
import { GatheredLayers } from '../../controller/eval/motion-list.ts';
import { wordOffsets } from '../../layout/index.ts';
import { Modifier, MODIFIER_NONE } from '../layout.ts';
import type { PlayingViews } from '../player-at.ts';

const MODIFIER = /* @__PURE__ */ wordOffsets(Modifier);

/**
 * Clips that characters show, one character after the other: those of all layers of a controller, or those that play on the
 * character.
 */
export class ShownClips {
  count = 0;
  clips = new Uint32Array(32);
  /** 0.32 fixed point. */
  phases = new Float64Array(32);
  /** With those of their layers. */
  weights = new Float64Array(32);
  /** 1: it is shown as in its file, in a plain base layer, and not mirrored. */
  plains = new Uint8Array(32);
  /** Sum of all weights, at least 1: the rest pose fills what weights leave. */
  total = 1;
  readonly #views: PlayingViews;
  readonly #modifierCapacity: number;
  readonly #memory: AnimatorMemory | undefined;
  readonly #parameters: CharacterParameters | undefined;
  readonly #controllers: ControllerTable;

  constructor(views: PlayingViews, modifierCapacity: number) {
    const { animators, regions, rig } = views;
    this.#views = views;
    this.#modifierCapacity = modifierCapacity;
    this.#memory = animators.length > 0 ? animatorMemory(animators, regions) : undefined;
    this.#parameters = this.#memory?.parameters(0);
    this.#controllers = controllerTable(rig);
  }

  /**
   * Returns false for a character with modifiers.
   * @param addPlayed Adds the clips that play on a character without a controller.
   */
  find(i: number, addPlayed: (out: ShownClips, i: number) => void): boolean {
    if (this.#hasModifiers(i)) return false;
    this.count = 0;
    const [memory, parameters] = [this.#memory, this.#parameters];
    if (memory && parameters && layered.gather(this.#controllers, memory, i, parameters)) this.#addLayers();
    else addPlayed(this, i);
    let sum = 0;
    for (let c = 0; c < this.count; c++) sum += this.weights[c]!;
    this.total = Math.max(1, sum);
    return true;
  }

  add(clip: number, phase: number, weight: number, isPlain: boolean): void {
    if (this.count === this.clips.length) this.#grow();
    const at = this.count++;
    this.clips[at] = clip;
    this.phases[at] = phase;
    this.weights[at] = weight;
    this.plains[at] = Number(isPlain);
  }

  #hasModifiers(i: number): boolean {
    const { words } = this.#views.modifiers;
    const capacity = this.#modifierCapacity;
    for (let m = capacity * i; m < capacity * (i + 1); m++) {
      if ((words[MODIFIER.SIZE * m + MODIFIER.laneAndBits]! & 0xffff) !== MODIFIER_NONE) return true;
    }
    return false;
  }

  #addLayers(): void {
    const { controller, motions, ends, weights } = layered;
    const { layers, mirrorRow } = controller;
    let m = 0;
    for (let l = 0; l < layers.length; l++) {
      for (; m < ends[l]!; m++) {
        const isMirrored = motions.mirrors[m] === 1 && mirrorRow >= 0;
        const weight = motions.weights[m]! * weights[l]!;
        this.add(motions.rigClips[m]!, motions.phases[m]!, weight, layers[l]!.isPlain && !isMirrored);
      }
    }
  }

  #grow(): void {
    const { clips, phases, weights, plains } = this;
    const size = 2 * clips.length;
    [this.clips, this.plains] = [new Uint32Array(size), new Uint8Array(size)];
    [this.phases, this.weights] = [new Float64Array(size), new Float64Array(size)];
    this.clips.set(clips);
    this.phases.set(phases);
    this.weights.set(weights);
    this.plains.set(plains);
  }
}

const layered = new GatheredLayers();
