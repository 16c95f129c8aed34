import { roundUp, type Fields, type View } from '../../layout/index.ts';
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

const offsets = (): Readonly<Record<SectionName | 'end', number>> => {
  const at: Record<string, number> = {};
  let end = 0;
  for (const [name, { size }] of Object.entries(SECTIONS)) {
    at[name] = end;
    end += roundUp(size, ALIGNMENT);
  }
  return { ...at, end } as Record<SectionName | 'end', number>;
};

/** Parameters of a crowd's stages in one buffer, so that one copy uploads those of a frame. */
export class ParameterBlock {
  readonly buffer: GPUBuffer;
  readonly #offsets = offsets();
  readonly #words: Uint32Array<ArrayBuffer>;

  constructor(device: GPUDevice) {
    const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const size = this.#offsets.end;
    // storage: a kernel writes the length of the visible list
    this.buffer = device.createBuffer({ label: 'parameters', size, usage: UNIFORM | STORAGE | COPY_DST | COPY_SRC });
    this.#words = new Uint32Array(size / 4);
  }

  binding(name: SectionName): Required<GPUBufferBinding> {
    return { buffer: this.buffer, offset: this.#offsets[name], size: SECTIONS[name].size };
  }

  /** Sets parameters for the next upload. */
  set(name: SectionName, { words }: Pick<View<Fields>, 'words'>): void {
    this.#words.set(words, this.#offsets[name] / 4);
  }

  /** Bytes to upload to the beginning of the buffer. In frames without views, the parameters of views stay as they are. */
  bytes(hasViews: boolean): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#words.buffer, 0, this.#offsets[hasViews ? 'end' : FIRST_OF_VIEWS]);
  }
}
