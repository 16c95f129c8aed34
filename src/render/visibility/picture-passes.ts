import { createBuffer, createFilled, createUniform } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { createKernel, encodeDispatches } from '../../stages/kernel.ts';
import { perDevice } from '../../stages/per-device.ts';
import { BODY_POINTS, FOOT_POINTS } from '../contact-codes.ts';
import type { PixelImpostors } from '../impostors/impostor-pixels.ts';
import type { ChangedSurfaces } from '../lighting/changed-surfaces.ts';
import { frameBindings, viewBindings } from '../lighting/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import {
  ContactPage,
  ContactParams,
  DISC_GROUPS,
  LARGE_FIRST_WORD,
  LARGE_WORDS,
  ROW_GROUPS,
  splatBindings,
} from './layout.ts';
import { TRIANGLE_PASSES, type Pass, type TriangleContext } from './passes.ts';
import { bindPixelCopy, encodePixelCopy, type PixelCopy } from './copy-pixels.ts';
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
  /** Share of the light that the shade of feet takes. */
  readonly contact: GPUTexture;
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
  readonly impostors?: PixelImpostors | undefined;
}

export interface PictureContext extends TriangleContext, PictureParts {
  readonly targets: readonly [picture: RasterTarget, shadows: RasterTarget];
  readonly textures: PictureTextures;
  /** Receives buffers that passes create. */
  readonly owned: GPUBuffer[];
}

const COPY_PASS: Pass<PictureContext, readonly (readonly PixelCopy[])[]> = {
  name: 'copy-visibility',
  bind: ({ targets }) => targets.map((target) => target.bindCopies()),
  record([picture, shadows], { encoder, isFirst, timings }) {
    const pass = encoder.beginComputePass({ label: this.name, ...timings?.writes(this.name) });
    for (const copy of [...picture!, ...(isFirst ? shadows! : [])]) encodePixelCopy(pass, copy);
    pass.end();
  },
};

/** Pixels across from which on several workgroups draw a disc. */
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
  const bound = tables.pages.flatMap(({ page: { skinned, runs } }): (readonly GPUBindGroup[])[] => {
    const range = { firstRun, runCount: runs.length };
    firstRun += runs.length;
    if (runs.every(({ contactRadius }) => contactRadius <= 0)) return [];
    const page = createUniform(device, 'contact page', ContactPage, range);
    owned.push(page);
    return [[frame, createBindGroup(device, 'splat', pipelines.splat, splatBindings, { ...resources, page, skinned })]];
  });
  const groupCount = Math.ceil(tables.instanceCount / SPLAT_GROUP);
  const dispatches = [
    ...bound.map((groups) => ({ kernel: pipelines.small, groups, groupCount })),
    ...bound.slice(0, 1).map((groups) => ({ kernel: pipelines.large, groups, groupCount: DISC_GROUPS * ROW_GROUPS })),
  ];
  return { splats, large, dispatches, copy: bindPixelCopy(device, splats, textures.contact) };
}

/** Draws the shade that all instances leave on the ground. 8 bytes per pixel, 16 per instance, 64 per run. */
const CONTACT_PASS: Pass<PictureContext, ReturnType<typeof bindContact>> = {
  name: 'draw-contact',
  bind: bindContact,
  record({ splats, large, dispatches, copy }, { encoder, timings }) {
    encoder.clearBuffer(splats);
    encoder.clearBuffer(large, 0, 4);
    const pass = encoder.beginComputePass({ label: this.name, ...timings?.writes(this.name) });
    encodeDispatches(pass, dispatches);
    encodePixelCopy(pass, copy);
    pass.end();
  },
};

function createContactBuffers({ device, tables: { pages, instanceCount }, textures, owned }: PictureContext) {
  const pitch = Math.ceil(textures.width / PITCH_PIXELS) * PITCH_PIXELS;
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  const values = { instanceCount, pitch, largest: LARGEST_SPLAT };
  const params = createUniform(device, 'contact params', ContactParams, values);
  const splats = createBuffer(device, 'shade of feet', STORAGE | COPY_DST, 4 * pitch * textures.height);
  const largeBytes = 4 * (LARGE_FIRST_WORD + LARGE_WORDS * instanceCount);
  const large = createBuffer(device, 'large shades', STORAGE | COPY_DST, largeBytes);
  const runs = pages.flatMap(({ page }) => page.runs);
  const words = new Uint32Array(POINT_WORDS * Math.max(1, runs.length));
  runs.forEach(({ contactPoints }, run) => contactPoints && words.set(contactPoints, POINT_WORDS * run));
  const points = createFilled(device, 'contact points', STORAGE | COPY_DST, words);
  owned.push(params, splats, large, points);
  return { params, splats, large, points };
}

function createContactPipelines(device: GPUDevice) {
  const frame = createBindGroupLayout(device, 'contact frame', frameBindings);
  const splat = createBindGroupLayout(device, 'splat', splatBindings);
  const layout = device.createPipelineLayout({ bindGroupLayouts: [frame, splat] });
  const kernel = (entryPoint: string) =>
    createKernel(device, { label: 'draw-contact', variant: 'splat', code: splatCode.base, entryPoint, layout });
  return { frame, splat, small: kernel('splatContact'), large: kernel('splatLarge') };
}

function bindLight({ device, targets: [, shadows], textures, uniforms }: PictureContext) {
  const layout = perDevice(device, 'shade light', () =>
    createBindGroupLayout(device, 'light', viewBindings, GPUShaderStage.COMPUTE),
  );
  const group = createBindGroup(device, 'light', layout, viewBindings, {
    frame: uniforms,
    shadowMaps: shadows.view,
    contactShade: textures.contact.createView(),
  });
  return { layout, group };
}

const SHADE_PASS: Pass<PictureContext, readonly ShadeDispatch[]> = {
  name: 'shade-pixels',
  bind(context) {
    const { device, tables, textures, materials, change, owned } = context;
    const { layout: light, group: lightGroup } = bindLight(context);
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

const IMPOSTOR_PASS: Pass<PictureContext, ((pass: GPUComputePassEncoder) => void) | undefined> = {
  name: 'shade-impostors',
  bind: (context) =>
    context.impostors?.quads.bindShade(context.tables.buffers.views, bindLight(context).group, context.textures),
  record(shade, { encoder, timings }) {
    if (!shade) return;
    const pass = encoder.beginComputePass({ label: this.name, ...timings?.writes(this.name) });
    shade(pass);
    pass.end();
  },
};

export const PICTURE_PASSES: readonly Pass<PictureContext>[] = [
  ...TRIANGLE_PASSES,
  COPY_PASS,
  CONTACT_PASS,
  SHADE_PASS,
  IMPOSTOR_PASS,
];
