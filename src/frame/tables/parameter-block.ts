import { roundUp, type Struct, View } from '../../layout/index.ts';
import { CullParams, ShareParams } from '../../stages/cull-characters/layout.ts';
import { GroundParams } from '../../stages/ground-characters/layout.ts';
import { FrameParams } from '../../stages/layout.ts';
import { StepParams } from '../../stages/step-controllers/layout.ts';

/** The parameters of every frame, then those of frames with views. */
const SECTIONS = {
  step: StepParams,
  ground: GroundParams,
  frame: FrameParams,
  cull: CullParams,
  share: ShareParams,
} as const;
const FIRST_OF_VIEWS = 'frame';

type SectionName = keyof typeof SECTIONS;

/** Every device can bind multiples of this offset. */
const ALIGNMENT = 256;

/** Parameters of a crowd's stages in one buffer, so that one copy uploads those of a frame. */
export class ParameterBlock {
  readonly buffer: GPUBuffer;
  /** Parameters for the next upload. */
  readonly views: { readonly [N in SectionName]: View<(typeof SECTIONS)[N]['fields']> };
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(device: GPUDevice) {
    const sections = Object.entries<Struct>(SECTIONS);
    const size = sections.reduce((sum, [, struct]) => sum + roundUp(struct.size, ALIGNMENT), 0);
    const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    // storage: a kernel writes the length of the visible list
    this.buffer = device.createBuffer({ label: 'parameters', size, usage: UNIFORM | STORAGE | COPY_DST | COPY_SRC });
    this.#bytes = new Uint8Array(size);
    let end = 0;
    const views = sections.map(([name, struct]) => {
      const view = new View(struct, this.#bytes.buffer, end, 1);
      end += roundUp(struct.size, ALIGNMENT);
      return [name, view] as const;
    });
    this.views = Object.fromEntries(views) as unknown as ParameterBlock['views'];
  }

  binding(name: SectionName): Required<GPUBufferBinding> {
    const { byteOffset: offset, byteLength: size } = this.views[name].words;
    return { buffer: this.buffer, offset, size };
  }

  /** Bytes to upload to the beginning of the buffer. In frames without views, the parameters of views stay as they are. */
  bytes(hasViews: boolean): Uint8Array<ArrayBuffer> {
    return hasViews ? this.#bytes : this.#bytes.subarray(0, this.views[FIRST_OF_VIEWS].words.byteOffset);
  }
}
