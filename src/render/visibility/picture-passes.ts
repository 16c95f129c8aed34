import { createBuffer, createFilled, createUniform } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline } from '../../stages/lazy-pipeline.ts';
import { createKernel, encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { perDevice } from '../../stages/per-device.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { BODY_POINTS, FOOT_POINTS } from '../contact-codes.ts';
import { CONTACT_FORMAT, DARKEST } from '../forward/pipelines.ts';
import type { ChangedSurfaces } from '../lighting/changed-surfaces.ts';
import { frameBindings, viewBindings } from '../lighting/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { kernels } from './contact.gen.ts';
import { contactBindings, ContactPage, ContactParams, LARGE_FIRST_WORD, LARGE_WORDS, splatBindings } from './layout.ts';
import { TRIANGLE_PASSES, type Pass, type TriangleContext } from './passes.ts';
import type { RasterTarget } from './raster-target.ts';
import { PITCH_PIXELS } from './raster-triangles/layout.ts';
import { ShadeParams } from './shade-pixels/layout.ts';
import { createShadePixels, encodeShade, type ShadeDispatch } from './shade-pixels/stage.ts';
import { kernels as splatCode } from './splat-contact.gen.ts';

/** Textures of a picture, between its passes. */
export interface PictureTextures {
  readonly width: number;
  readonly height: number;
  /** Output of raster-triangles, to be read by pixel: complement of an id, and bits of a depth. */
  readonly visibility: GPUTextureView;
  readonly contact: GPUTextureView;
  readonly color: GPUTextureView;
  /** Means of several samples; undefined if there is one. */
  readonly mean: GPUTextureView | undefined;
  readonly surfaces:
    | { readonly motion: GPUTextureView; readonly ids: GPUTexture; readonly normals: GPUTextureView }
    | undefined;
}

/** Resources of pictures of any size. */
export interface PictureParts {
  readonly shadows: RasterTarget;
  readonly uniforms: GPUBuffer;
  readonly materials: MaterialTable;
  readonly change?: ChangedSurfaces | undefined;
}

export interface PictureContext extends TriangleContext, PictureParts {
  readonly targets: readonly [picture: RasterTarget, shadows: RasterTarget];
  readonly textures: PictureTextures;
  /** Receives buffers that passes create. */
  readonly owned: GPUBuffer[];
}

const COPY_PASS: Pass<PictureContext, PictureContext['targets']> = {
  name: 'copy-visibility',
  bind: ({ targets }) => targets,
  record([picture, shadows], { encoder, isFirst }) {
    picture.copy(encoder);
    if (isFirst) shadows.copy(encoder);
  },
};

/** Pixels across up to which discs are drawn by compute. */
const LARGEST_SPLAT = 24;
/** Instances per workgroup of splatContact. */
const SPLAT_GROUP = 64;
/** Words of a run's contact points. */
const POINT_WORDS = BODY_POINTS + FOOT_POINTS;

function bindContact(context: PictureContext) {
  const { device, uniforms, tables, textures, owned } = context;
  const pipelines = perDevice(device, 'contact', () => createContactPipelines(device));
  const buffers = createContactBuffers(context);
  const { splats, large } = buffers;
  const resources = { ...tables.buffers, ...buffers };
  const frame = createBindGroup(device, 'contact frame', pipelines.frame, frameBindings, { frame: uniforms });
  let firstRun = 0;
  const dispatches = tables.pages.flatMap(({ page: { skinned, runs } }): Dispatch[] => {
    const range = { firstRun, runCount: runs.length };
    firstRun += runs.length;
    if (runs.every(({ contactRadius }) => contactRadius <= 0)) return [];
    const page = createUniform(device, 'contact page', ContactPage, range);
    owned.push(page);
    const group = createBindGroup(device, 'splat', pipelines.splat, splatBindings, { ...resources, page, skinned });
    const groupCount = Math.ceil(tables.instanceCount / SPLAT_GROUP);
    return [{ kernel: pipelines.kernel, groups: [frame, group], groupCount }];
  });
  const contact = createBindGroup(device, 'contact', pipelines.contact, contactBindings, resources);
  return { pipelines, splats, large, frame, contact, dispatches, view: textures.contact };
}

/** Draws the shade that all instances leave on the ground. 4 bytes per pixel, 16 per instance, 64 per run. */
const CONTACT_PASS: Pass<PictureContext, ReturnType<typeof bindContact>> = {
  name: 'draw-contact',
  bind: bindContact,
  record({ pipelines, splats, large, frame, contact, dispatches, view }, { encoder, timings }) {
    encoder.clearBuffer(splats);
    encoder.clearBuffer(large, 4, 4);
    const compute = encoder.beginComputePass({
      label: this.name,
      ...timings?.writes(this.name, { first: true, last: false }),
    });
    for (const dispatch of dispatches) encodeDispatch(compute, dispatch);
    compute.end();
    const pass = encoder.beginRenderPass({
      label: this.name,
      colorAttachments: [{ view, clearValue: [1, 1, 1, 1], loadOp: 'clear', storeOp: 'store' }],
      ...timings?.writes(this.name, { first: false, last: true }),
    });
    pass.setBindGroup(0, frame);
    pass.setBindGroup(1, contact);
    pass.setPipeline(pipelines.splats.pipeline);
    pass.draw(3);
    pass.setPipeline(pipelines.discs.pipeline);
    pass.drawIndirect(large, 0);
    pass.end();
  },
};

function createContactBuffers({ device, tables: { pages, instanceCount }, textures, owned }: PictureContext) {
  const pitch = Math.ceil(textures.width / PITCH_PIXELS) * PITCH_PIXELS;
  const { STORAGE, INDIRECT, COPY_DST } = GPUBufferUsage;
  const values = { instanceCount, pitch, largest: LARGEST_SPLAT };
  const params = createUniform(device, 'contact params', ContactParams, values);
  const splats = createBuffer(device, 'shade of feet', STORAGE | COPY_DST, 4 * pitch * textures.height);
  const largeBytes = 4 * (LARGE_FIRST_WORD + LARGE_WORDS * instanceCount);
  const large = createBuffer(device, 'large shades', STORAGE | INDIRECT | COPY_DST, largeBytes);
  device.queue.writeBuffer(large, 0, Uint32Array.of(4, 0, 0, 0));
  const runs = pages.flatMap(({ page }) => page.runs);
  const words = new Uint32Array(POINT_WORDS * Math.max(1, runs.length));
  runs.forEach(({ contactPoints }, run) => contactPoints && words.set(contactPoints, POINT_WORDS * run));
  const points = createFilled(device, 'contact points', STORAGE | COPY_DST, words);
  owned.push(params, splats, large, points);
  return { params, splats, large, points };
}

function createContactPipelines(device: GPUDevice) {
  const { VERTEX, FRAGMENT, COMPUTE } = GPUShaderStage;
  const frame = createBindGroupLayout(device, 'contact frame', frameBindings, VERTEX | FRAGMENT | COMPUTE);
  const contact = createBindGroupLayout(device, 'contact', contactBindings, VERTEX | FRAGMENT);
  const splat = createBindGroupLayout(device, 'splat', splatBindings);
  const module = compileShader(device, 'contact', kernels.base);
  const layout = device.createPipelineLayout({ bindGroupLayouts: [frame, contact] });
  const pipeline = (name: 'splat' | 'disc', topology: GPUPrimitiveTopology) =>
    lazyRenderPipeline(device, {
      label: `contact ${name}`,
      layout,
      vertex: { module, entryPoint: `${name}Vertex` },
      fragment: {
        module,
        entryPoint: `${name}Fragment`,
        targets: [{ format: CONTACT_FORMAT, blend: { color: DARKEST, alpha: DARKEST } }],
      },
      primitive: { topology },
    });
  return {
    frame,
    contact,
    splat,
    kernel: createKernel(device, {
      label: 'draw-contact',
      variant: 'splat',
      code: splatCode.base,
      entryPoint: 'splatContact',
      layout: device.createPipelineLayout({ bindGroupLayouts: [frame, splat] }),
    }),
    splats: pipeline('splat', 'triangle-list'),
    discs: pipeline('disc', 'triangle-strip'),
  };
}

const SHADE_PASS: Pass<PictureContext, readonly ShadeDispatch[]> = {
  name: 'shade-pixels',
  bind({ device, tables, targets: [, shadows], textures, uniforms, materials, change, owned }) {
    const light = perDevice(device, 'shade light', () =>
      createBindGroupLayout(device, 'light', viewBindings, GPUShaderStage.COMPUTE),
    );
    const lightGroup = createBindGroup(device, 'light', light, viewBindings, {
      frame: uniforms,
      shadowMaps: shadows.view,
      contactShade: textures.contact,
    });
    const { surfaces, visibility } = textures;
    const standard = tables.sources.every((source) => source.isStandard);
    const options = { light, materials, standard, surfaces: surfaces !== undefined, change };
    const shadePixels = createShadePixels(device, options);
    return tables.pages.map(({ source, page, range }, index) => {
      const shade = createUniform(device, 'shade', ShadeParams, { viewIndex: 0, isFirst: Number(index === 0) });
      owned.push(shade);
      const resources = {
        ...tables.buffers,
        shade,
        range,
        indices1: source.indices,
        skinned: page.skinned,
        visibility,
        colorOut: textures.color,
        ...(surfaces && {
          motionOut: surfaces.motion,
          idOut: surfaces.ids.createView(),
          normalOut: surfaces.normals,
        }),
      };
      const groups = { light: lightGroup, geometry: source.geometry, materials: materials.group };
      return shadePixels.bind(resources, groups, textures);
    });
  },
  record(shades, { encoder, timings, changed }) {
    const pass = encoder.beginComputePass({ label: this.name, ...timings?.writes(this.name) });
    for (const shade of shades) encodeShade(pass, shade, changed);
    pass.end();
  },
};

export const PICTURE_PASSES: readonly Pass<PictureContext>[] = [
  ...TRIANGLE_PASSES,
  COPY_PASS,
  CONTACT_PASS,
  SHADE_PASS,
];
