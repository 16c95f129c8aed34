/** Counts the GPU memory that a page has allocated and not freed, in bytes. */
export interface GpuMemory {
  readonly byteLength: number;
}

/** Bytes of a texel, by WebGPU's formats and by names of WebGL's. */
const TEXEL_BYTES: Readonly<Record<string, number>> = {
  rgba8unorm: 4,
  'rgba8unorm-srgb': 4,
  bgra8unorm: 4,
  rgba16float: 8,
  rgba32uint: 16,
  depth24plus: 4,
  depth32float: 4,
  'depth24plus-stencil8': 4,
  RGBA8: 4,
  SRGB8_ALPHA8: 4,
  RGBA16F: 8,
  R11F_G11F_B10F: 4,
  RGBA32F: 16,
  RGBA32UI: 16,
  RG16F: 4,
  DEPTH_COMPONENT16: 2,
  DEPTH_COMPONENT24: 4,
  DEPTH_COMPONENT32F: 4,
  DEPTH24_STENCIL8: 4,
};

function texelBytes(format: string): number {
  const bytes = TEXEL_BYTES[format];
  if (bytes === undefined) throw new Error(`The size of a texel in format ${format} is not known.`);
  return bytes;
}

class Counted implements GpuMemory {
  readonly #sizes = new Map<object, number>();
  byteLength = 0;

  set(owner: object | null, bytes: number): void {
    if (!owner) return;
    this.byteLength += bytes - (this.#sizes.get(owner) ?? 0);
    this.#sizes.set(owner, bytes);
  }
}

/** Counts buffers and textures that a device creates from now on. Mip levels and samples are not counted: crowds have none. */
export function countDevice(device: GPUDevice): GpuMemory {
  const counted = new Counted();
  const follow = <T extends GPUBuffer | GPUTexture>(owner: T, bytes: number): T => {
    counted.set(owner, bytes);
    const destroy = owner.destroy.bind(owner);
    owner.destroy = () => {
      counted.set(owner, 0);
      return destroy();
    };
    return owner;
  };
  const createBuffer = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => follow(createBuffer(descriptor), descriptor.size);
  const createTexture = device.createTexture.bind(device);
  device.createTexture = (descriptor) => {
    const texture = createTexture(descriptor);
    return follow(texture, texture.width * texture.height * texture.depthOrArrayLayers * texelBytes(texture.format));
  };
  return counted;
}

/** Counts buffers, textures and render buffers of a context from now on. Mip levels are not counted: crowds have none. */
export function countContext(gl: WebGL2RenderingContext): GpuMemory {
  const counted = new Counted();
  const bound = new Map<string, object | null>();
  const nameOf = new Map<unknown, string>();
  for (const name of Object.keys(TEXEL_BYTES)) if (name in gl) nameOf.set(gl[name as keyof typeof gl], name);
  const bytesOf = (format: GLenum, width: number, height: number) =>
    width * height * texelBytes(nameOf.get(format) ?? `0x${format.toString(16)}`);
  /** Calls `noted` after a method of the context. */
  const after = (name: keyof WebGL2RenderingContext, noted: (...args: never[]) => void) => {
    const call = (gl[name] as (...args: unknown[]) => unknown).bind(gl);
    Object.assign(gl, {
      [name]: (...args: unknown[]) => {
        const result = call(...args);
        noted(...(args as never[]));
        return result;
      },
    });
  };
  let unit = 0;
  after('activeTexture', (index: number) => void (unit = index));
  after('bindTexture', (target: GLenum, texture: object | null) => void bound.set(`${unit} ${target}`, texture));
  after('bindBuffer', (target: GLenum, buffer: object | null) => void bound.set(`buffer ${target}`, buffer));
  after('bindRenderbuffer', (target: GLenum, buffer: object | null) => void bound.set(`render ${target}`, buffer));
  after('texStorage2D', (target: GLenum, _: number, format: GLenum, width: number, height: number) =>
    counted.set(bound.get(`${unit} ${target}`)!, bytesOf(format, width, height)),
  );
  after('texImage2D', (...[target, level, format, width, height, border]: number[]) => {
    if (level === 0 && border === 0) counted.set(bound.get(`${unit} ${target}`)!, bytesOf(format!, width!, height!));
  });
  after('renderbufferStorage', (target: GLenum, format: GLenum, width: number, height: number) =>
    counted.set(bound.get(`render ${target}`)!, bytesOf(format, width, height)),
  );
  after('bufferData', (target: GLenum, data: number | ArrayBufferView) =>
    counted.set(bound.get(`buffer ${target}`)!, typeof data === 'number' ? data : data.byteLength),
  );
  for (const name of ['deleteTexture', 'deleteBuffer', 'deleteRenderbuffer'] as const) {
    after(name, (owner: object | null) => counted.set(owner, 0));
  }
  return counted;
}
