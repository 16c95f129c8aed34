// Wooden men with spears: only boxes that are attached to joints, drawn with plain WebGPU from the crowd's socket
// matrices. In your own project, import from 'maniple', 'maniple/character', 'maniple/import' and
// 'maniple/render'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { addSockets, createCrowd, requestDevice, type SocketOffset } from '../../src/index.ts';
import { createCanvasTarget } from '../../src/render/index.ts';

const COUNT = 60;
const COLUMNS = 10;
const STEP = 1.4; // metres from one to the next

const canvas = document.querySelector('canvas')!;
const message = document.querySelector('p')!;

async function main(): Promise<void> {
  const { device, lost } = await requestDevice();
  let running = true;
  void lost.then((issue) => {
    running = false;
    say(issue.message);
  });

  const model = await loadModel('/characters/legionary.glb');
  const man = addSockets(packCharacter(model), 'all');
  const crowd = await createCrowd(device, { characters: [man], capacity: COUNT });
  const men = crowd.spawn(man, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * STEP, 0, -Math.floor(i / COLUMNS) * STEP),
  });
  men.setClips((i) => [{ clip: 'walk', phase: i / 11 }]);

  // A beam from every joint to each joint below it: boxes of one metre, held where the beam is and stretched to its size.
  model.joints.forEach(({ parentIndex, translation }) => {
    const length = Math.hypot(...translation);
    if (parentIndex < 0 || length < 0.02 || length > 1) return;
    men.attach(parentIndex, { offset: beam(translation, Math.min(0.12, 0.4 * length)) });
  });
  // And a spear in the hand.
  men.attach('grip_r', { offset: { scale: [0.03, 2, 0.03] } });

  const target = createCanvasTarget(device, canvas);
  const draw = createDrawing(device, target.format);
  message.remove();

  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    const dt = Math.min(Math.max(now - last, 0) / 1000, 0.1);
    last = now;
    target.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
    const encoder = device.createCommandEncoder();
    const animated = crowd.encode(encoder, { dt });
    // Read the buffer after `encode`: it is replaced when the attachments exceed its capacity.
    draw(encoder, target.view(), target.width, target.height, crowd.socketMatrices!, crowd.attachmentCount, now / 9000);
    device.queue.submit([encoder.finish()]);
    animated.submitted().catch(() => {});
    if (running) requestAnimationFrame(frame);
  });
}

/** Returns the offset that stretches a box of a metre from a joint to a position in the joint's space. */
function beam([x, y, z]: readonly [number, number, number], thickness: number): SocketOffset {
  const length = Math.hypot(x, y, z);
  // from Y to the beam: the turn between two directions
  const rotation = [z, 0, -x, length + y] as const;
  const isOpposite = length + y < 1e-6 * length;
  return {
    position: [x / 2, y / 2, z / 2],
    rotation: isOpposite ? [1, 0, 0, 0] : rotation,
    scale: [thickness, length, thickness],
  };
}

const WGSL = /* wgsl */ `
  struct View { clipFromWorld: mat4x4f }
  @group(0) @binding(0) var<uniform> view: View;
  // The socket matrices as they are.
  @group(0) @binding(1) var<storage, read> worldFromLocal: array<mat4x4f>;
  struct Corner { @builtin(position) position: vec4f, @location(0) normal: vec3f }

  // 36 corners of a cube: six faces, each a square turned so that its normal points outwards.
  @vertex fn corner(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
    let face = v / 6u;
    var square = array(vec2f(-1, -1), vec2f(1, -1), vec2f(1, 1), vec2f(-1, -1), vec2f(1, 1), vec2f(-1, 1));
    let side = select(-1.0, 1.0, face < 3u);
    var p = vec3f(square[v % 6u], side);
    var n = vec3f(0, 0, side);
    if (face % 3u == 1u) { p = p.zxy; n = n.zxy; }
    if (face % 3u == 2u) { p = p.yzx; n = n.yzx; }
    let m = worldFromLocal[i];
    return Corner(view.clipFromWorld * m * vec4f(0.5 * p, 1), (m * vec4f(n, 0)).xyz);
  }
  @fragment fn wood(c: Corner) -> @location(0) vec4f {
    let light = 0.35 + 0.65 * max(0.0, dot(normalize(c.normal), normalize(vec3f(0.5, 1, 0.7))));
    return vec4f(light * vec3f(0.55, 0.3, 0.12), 1);
  }
`;

/** Creates a function that draws all boxes in one call. */
function createDrawing(device: GPUDevice, format: GPUTextureFormat) {
  const module = device.createShaderModule({ code: WGSL });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const view = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  let depth: GPUTexture | undefined;
  let bound: { matrices: GPUBuffer; group: GPUBindGroup } | undefined;
  return (
    encoder: GPUCommandEncoder,
    color: GPUTextureView,
    width: number,
    height: number,
    matrices: GPUBuffer,
    count: number,
    angle: number,
  ) => {
    if (depth?.width !== width || depth.height !== height) {
      depth?.destroy();
      const usage = GPUTextureUsage.RENDER_ATTACHMENT;
      depth = device.createTexture({ size: [width, height], format: 'depth32float', usage });
    }
    if (bound?.matrices !== matrices) {
      const entries = [view, matrices].map((buffer, binding) => ({ binding, resource: { buffer } }));
      bound = { matrices, group: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
    }
    device.queue.writeBuffer(view, 0, clipFromWorld(angle, width / height));
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color, clearValue: [0.6, 0.56, 0.45, 1], loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound.group);
    pass.draw(36, count);
    pass.end();
  };
}

/** Returns the matrix of a camera eleven metres away that looks at (0, 1.5, −4) from an angle, column-major. */
function clipFromWorld(angle: number, aspect: number): Float32Array<ArrayBuffer> {
  const [sine, cosine] = [Math.sin(Math.sin(angle) / 2), Math.cos(Math.sin(angle) / 2)];
  const [focus, near, far] = [1.6, 0.1, 100];
  const depth = far / (near - far);
  // turn about Y through the target, then back by eleven metres
  const [tx, ty, tz] = [-4 * sine, -1.5, 4 * cosine - 11];
  const columns = [
    [(focus / aspect) * cosine, 0, depth * sine, -sine],
    [0, focus, 0, 0],
    [-(focus / aspect) * sine, 0, depth * cosine, -cosine],
    [(focus / aspect) * tx, focus * ty, depth * tz + depth * near, -tz],
  ];
  return Float32Array.from(columns.flat());
}

function say(text: string): void {
  message.textContent = text;
  document.body.append(message);
}

main().catch((thrown: unknown) => say(thrown instanceof Error ? thrown.message : String(thrown)));
