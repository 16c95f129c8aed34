import type { Camera, Vector } from '../../src/render/index.ts';

const LIMIT = 512; // most puffs in the air at once; a new one replaces the oldest
const LIFE = 1.6; // seconds
const NEAR = 0.1; // metres: the camera's default near plane

const WGSL = /* wgsl */ `
  struct View { right: vec3f, focusX: f32, up: vec3f, focusY: f32, forward: vec3f, time: f32, eye: vec3f }
  @group(0) @binding(0) var<uniform> view: View;
  // How far away what a pixel shows is: the near plane's distance over its own; 0 for the sky.
  @group(0) @binding(1) var depth: texture_2d<f32>;
  struct Corner {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
    @location(1) share: f32,
    @location(2) far: f32,
  }

  // A square that faces the camera, rises and grows as long as it lives.
  @vertex fn corner(@builtin(vertex_index) v: u32, @location(0) foot: vec4f, @location(1) birth: f32) -> Corner {
    let age = (view.time - birth) / ${LIFE};
    if (age > 1) { return Corner(); } // all six corners in one point: nothing
    var square = array(vec2f(-1, -1), vec2f(1, -1), vec2f(1, 1), vec2f(-1, -1), vec2f(1, 1), vec2f(-1, 1));
    let place = square[v];
    let size = 0.08 + 0.36 * sqrt(age);
    let middle = vec3f(foot.x, 0.3 * size + 0.12 * age, foot.z) - view.eye;
    let p = middle + size * (view.right * place.x + view.up * place.y);
    let far = dot(p, view.forward);
    return Corner(vec4f(dot(p, view.right) * view.focusX, dot(p, view.up) * view.focusY, 0, far), place, 1 - age, far);
  }
  @fragment fn dust(c: Corner) -> @location(0) vec4f {
    let round = max(0.0, 1 - dot(c.place, c.place));
    // Dust fades where it is close to a surface: no edge where the square cuts the ground.
    let behind = ${NEAR} / max(textureLoad(depth, vec2u(c.position.xy), 0).x, 1e-6);
    let soft = clamp((behind - c.far) / 0.2 + 0.5, 0.0, 1.0);
    let opacity = 0.9 * c.share * round * soft;
    return vec4f(vec3f(0.72, 0.62, 0.45) * opacity, opacity);
  }
`;

/** Creates puffs of dust that are drawn over a picture, with a depth test against it. */
export function createDust(device: GPUDevice, format: GPUTextureFormat) {
  const module = device.createShaderModule({ code: WGSL });
  const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
  const perPuff = (arrayStride: number, shaderLocation: number, format: GPUVertexFormat): GPUVertexBufferLayout => ({
    arrayStride,
    stepMode: 'instance',
    attributes: [{ shaderLocation, offset: 0, format }],
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers: [perPuff(16, 0, 'float32x4'), perPuff(4, 1, 'float32')] },
    fragment: { module, targets: [{ format, blend: { color: over, alpha: over } }] },
  });
  const vertices = GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST;
  const places = device.createBuffer({ size: 16 * LIMIT, usage: vertices });
  const births = device.createBuffer({ size: 4 * LIMIT, usage: vertices });
  device.queue.writeBuffer(births, 0, new Float32Array(LIMIT).fill(-LIFE)); // all expired
  const view = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  let next = 0;
  return {
    /** Adds a puff at a socket. Copies the last column of the socket's matrix, on the GPU. */
    puff(encoder: GPUCommandEncoder, socketMatrices: GPUBuffer, row: number, time: number): void {
      encoder.copyBufferToBuffer(socketMatrices, 64 * row + 48, places, 16 * next, 16);
      device.queue.writeBuffer(births, 4 * next, Float32Array.of(time));
      next = (next + 1) % LIMIT;
    },
    /** @param depth As renderers write it: r32float, with the target's size. */
    draw(encoder: GPUCommandEncoder, target: GPUTextureView, depth: GPUTexture, camera: Camera, time: number): void {
      device.queue.writeBuffer(view, 0, viewOf(camera, depth.width / depth.height, time));
      const group = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: { buffer: view } },
          { binding: 1, resource: depth.createView() },
        ],
      });
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'load', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.setVertexBuffer(0, places);
      pass.setVertexBuffer(1, births);
      pass.draw(6, LIMIT);
      pass.end();
    },
  };
}

function viewOf({ eye, target, fovY = Math.PI / 4 }: Camera, aspect: number, time: number): Float32Array<ArrayBuffer> {
  const forward = normalize([target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]]);
  const right = normalize([-forward[2], 0, forward[0]]);
  const up = [
    right[1] * forward[2] - right[2] * forward[1],
    right[2] * forward[0] - right[0] * forward[2],
    right[0] * forward[1] - right[1] * forward[0],
  ];
  const focus = 1 / Math.tan(fovY / 2);
  return Float32Array.of(...right, focus / aspect, ...up, focus, ...forward, time, ...eye, 0);
}

function normalize(v: Vector): Vector {
  const length = Math.hypot(...v);
  return [v[0] / length, v[1] / length, v[2] / length];
}
