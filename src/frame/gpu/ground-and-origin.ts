import { View } from '../../layout/index.ts';
import { createGroundCharacters, type GroundCharacters } from '../../stages/ground-characters/stage.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { ShiftParams } from '../../stages/shift-transforms/layout.ts';
import { createShiftTransforms, type ShiftTransforms } from '../../stages/shift-transforms/stage.ts';
import type { GroundField, PlaceInputs } from '../backend.ts';
import { createStorage, createUniform, type CrowdMemory } from '../tables/memory.ts';
import { groundParams } from '../tables/parameters.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

/** Moves of the origin, and the ground under characters. */
export class GpuPlaces {
  readonly #device: GPUDevice;
  readonly #crowd: CrowdMemory;
  readonly #uploads: UploadRing;
  readonly #shift: ReturnType<ShiftTransforms['bind']>;
  readonly #stage: GroundCharacters;
  readonly #shiftParams: GPUBuffer;
  readonly #grounded: GPUBuffer;
  #ground:
    | {
        readonly field: GroundField;
        readonly heights: GPUBuffer;
        readonly dispatch: ReturnType<GroundCharacters['bind']>;
      }
    | undefined;

  constructor(device: GPUDevice, crowd: CrowdMemory, uploads: UploadRing, capacity: number) {
    this.#device = device;
    this.#crowd = crowd;
    this.#uploads = uploads;
    this.#shiftParams = createUniform(device, 'shift params', ShiftParams);
    this.#grounded = createStorage(device, 'grounded', 4 * Math.ceil(capacity / 32));
    const { transforms, previousTransforms } = crowd;
    this.#shift = createShiftTransforms(device).bind({ params: this.#shiftParams, transforms, previousTransforms });
    this.#stage = createGroundCharacters(device);
  }

  get byteLength(): number {
    const own = [this.#shiftParams, this.#grounded];
    return own.reduce((sum, { size }) => sum + size, this.#ground?.heights.size ?? 0);
  }

  /** Records the shift of transforms by the origin's moves, before any stage reads them. */
  encodeShift(encoder: GPUCommandEncoder, { moves }: PlaceInputs, characterCount: number): void {
    if (moves.length === 0 || characterCount === 0) return;
    const { words } = shiftParams(moves, characterCount);
    this.#uploads.write(encoder, this.#shiftParams, 0, new Uint8Array(words.buffer));
    const pass = encoder.beginComputePass({ label: 'shift-transforms' });
    encodeDispatch(pass, this.#shift(characterCount));
    pass.end();
  }

  /** Uploads the ground, and sets the parameters of the stage. Returns the dispatches of the frame, and height buffers that are no longer needed. */
  encodeGround(
    encoder: GPUCommandEncoder,
    inputs: PlaceInputs,
    characterCount: number,
  ): { readonly dispatches: Dispatch[]; readonly outgrown: GPUBuffer[] } {
    for (const { byteOffset, bytes } of inputs.grounded.takeChanges()) {
      this.#uploads.write(encoder, this.#grounded, byteOffset, bytes);
    }
    const { ground } = inputs;
    const outgrown: GPUBuffer[] = [];
    if (this.#ground && this.#ground.field !== ground) {
      outgrown.push(this.#ground.heights);
      this.#ground = undefined;
    }
    if (!ground || characterCount === 0) return { dispatches: [], outgrown };
    this.#ground ??= this.#bind(ground);
    groundParams(inputs, ground, characterCount, this.#crowd.parameters.views.ground);
    return { dispatches: [this.#ground.dispatch(characterCount)], outgrown };
  }

  destroy(): void {
    for (const buffer of [this.#shiftParams, this.#grounded]) buffer.destroy();
    this.#ground?.heights.destroy();
  }

  #bind(field: GroundField) {
    const { buffer, byteOffset, length } = field.heights;
    const heights = createStorage(this.#device, 'heights', new Uint32Array(buffer, byteOffset, length));
    const { parameters, transforms } = this.#crowd;
    const own = { params: parameters.binding('ground'), heights, grounded: this.#grounded };
    return { field, heights, dispatch: this.#stage.bind({ ...own, transforms }) };
  }
}

function shiftParams(
  moves: readonly (readonly number[])[],
  characterCount: number,
): View<(typeof ShiftParams)['fields']> {
  const params = new View(ShiftParams, 1);
  params.assign(0, { moveCount: moves.length, characterCount });
  moves.forEach((move, m) => params.floats.set(move, ShiftParams.offsets.moves / 4 + 4 * m));
  return params;
}
