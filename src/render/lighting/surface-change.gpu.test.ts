// Surfaces that an application changes by named columns: the same in both renderers and in the reference.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coded } from '../../../test/support/crowd-truth.ts';
import { noCore, noGpu, testDevice } from '../../../test/support/gpu.ts';
import { comparePictures } from '../../../test/support/pictures.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { gridOf } from '../../../test/support/random-triangles.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { EncodedFrame, Submission } from '../../crowd/frame-options.ts';
import type { VertexProvider } from '../../stages/providers.ts';
import type { Camera } from '../camera.ts';
import { DrawnProviders } from '../forward/drawn-providers.ts';
import { createForwardRenderer } from '../forward/forward.ts';
import { compileDraws } from '../forward/pipelines.ts';
import type { ForwardView } from '../forward/view.ts';
import type { RgbaImage } from '../images/index.ts';
import { createMaterialTable, DEFAULT_MATERIAL } from '../materials/material-table.ts';
import { createReadableTarget } from '../target.ts';
import { createReferenceRenderer } from '../reference/reference.ts';
import { createScenery } from '../scenery/scenery.ts';
import { createVisibilityRenderer } from '../visibility/visibility.ts';
import { ChangedSurfaces } from './changed-surfaces.ts';
import type { SurfaceChange } from './surface-change.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { hasTurn } from '../../../test/support/setup.ts';

const SIZE = { width: 64, height: 32 };
const CAMERA: Camera = { eye: [0, 1.2, 7], target: [0, 1, 0], fovY: 0.62 };
const BOUNDS = { min: [-5, 0, -1], max: [5, 3, 1] } as const;
const MAPS = { shadowResolution: 32, cascadeCount: 1 };

/** Two squares above each other, of a primitive each. What is blended is in transparency.gpu.test.ts. */
function towerModel() {
  return smallModel({
    name: 'tower',
    meshes: [0, 1].map((level) => {
      const corners = [[-0.5, level, 0], [0.5, level, 0], [0.5, level + 1, 0], [-0.5, level + 1, 0]]; // prettier-ignore
      return meshOf(corners, () => [[0, 1]], {
        indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
        texcoords: Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1),
        materialIndex: 0,
        nodeIndex: level,
        nodeName: `${level}`,
      });
    }),
    materials: [{ ...DEFAULT_MATERIAL, baseColor: [0.5, 0.5, 0.5, 1], doubleSided: true }],
  });
}

const character = packCharacter(towerModel());

/** Heat colours the lower square towards the right, and makes the upper one shine; age is roughness. */
const CHANGE: SurfaceChange = {
  columns: ['heat', 'age'],
  code: `
fn warmth(site: SurfaceSite) -> vec3f { return heatColumn(site.character) * step(0.5, site.texcoord.x); }

fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface {
  var changed = surface;
  changed.roughness = ageColumn(site.character);
  if (site.primitive == 0u) { changed.baseColor = mix(surface.baseColor, warmth(site), 0.75); }
  else { changed.emissive = heatColumn(site.character); }
  return changed;
}`,
  twin: ({ primitive, texcoord, column }, surface) => {
    const heat = column('heat') as [number, number, number];
    const [roughness] = column('age') as [number];
    if (primitive === 1) return { ...surface, roughness, emissive: heat };
    const baseColor = surface.baseColor.map((c, i) => c * 0.25 + (texcoord[0] >= 0.5 ? heat[i]! * 0.75 : 0));
    return { ...surface, roughness, baseColor: baseColor as unknown as typeof surface.baseColor };
  },
};

/** Mean of the pixels about the middle of a square. */
function colorAt({ data }: RgbaImage, x: number, upper: boolean): number[] {
  const scale = SIZE.height / 2 / Math.tan(CAMERA.fovY! / 2) / CAMERA.eye[2];
  const [column, row] = [SIZE.width / 2 + x * scale, SIZE.height / 2 + (upper ? -0.5 : 0.5) * scale].map(Math.round);
  return [0, 1, 2].map((c) => data[4 * (row! * SIZE.width + column!) + c]!);
}

describe.skipIf(noGpu() || noCore() || !hasTurn(0))('surfaces that an application changes', () => {
  let device: GPUDevice;
  let gridSteps: number;
  const open: { destroy(): void }[] = [];
  const own = <T extends { destroy(): void }>(each: T): T => (open.push(each), each);
  beforeAll(async () => {
    // as weak as a device may be: stages that shade have one binding left
    const opened = await testDevice({ limits: 'default' });
    ({ device } = opened);
    gridSteps = gridOf(opened.kind);
  });
  afterAll(() => open.toReversed().forEach((each) => each.destroy()));

  const place = (i: number, at: { position: { set(x: number, y: number, z: number): void } }) =>
    at.position.set(1.4 * (i - 1.5), 0, 0);

  type Renderer = { render(encoder: GPUCommandEncoder, view: ForwardView): Submission };
  async function draw(renderer: Renderer, frame?: EncodedFrame): Promise<RgbaImage> {
    const picture = createReadableTarget(device, SIZE.width, SIZE.height);
    const encoder = device.createCommandEncoder();
    const view = { camera: CAMERA, bounds: BOUNDS, ...SIZE, target: picture.view, ...(frame && { frame }) };
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const image = await picture.read();
    picture.destroy();
    return image;
  }

  test('are the same in both renderers and in the reference, follow columns, and leave scenery as it is', async () => {
    // a crowd on twins whose memory is drawn: all three have the same frame
    const crowd = own(createCrowd(device, { characters: [character], capacity: 3, backend: 'cpu' }));
    crowd.column('unread', { size: 4 });
    const heat = crowd.column('heat', { size: 3, default: [0.9, 0.05, 0.05] });
    crowd.column('age', { default: 0.9 });
    const army = crowd.spawn(character, { count: 3, place });
    await updateAndWait(crowd, { dt: 0 });
    const rock = packScenery(towerModel());
    const pieces = [
      { character: rock, places: [{ position: [2.1, 0, 0], rotation: [0, 0, 0, 1], scale: 1 }] },
    ] as const;
    const scenery = own(createScenery(device, pieces));
    const options = { ...MAPS, scenery, surface: CHANGE };
    const forward = own(await createForwardRenderer(device, crowd, { ...options, sampleCount: 1 }));
    const visibility = own(await createVisibilityRenderer(device, crowd, options));
    const reference = await createReferenceRenderer(crowd, { ...MAPS, gridSteps, scenery: pieces, surface: CHANGE });
    const all = async () => {
      const pictures = [await draw(forward), await draw(visibility)] as const;
      const { color } = await reference.render({ camera: CAMERA, bounds: BOUNDS, ...SIZE });
      for (const picture of pictures) expect(comparePictures(picture, color).mean).toBeLessThan(0.5);
      expect(comparePictures(...pictures).mean).toBeLessThan(0.25);
      return pictures[0];
    };
    const before = await all();
    heat.set(army.id(1), [0.05, 0.1, 0.9]);
    crowd.grow(40); // columns are in another buffer
    crowd.column('late', { size: 2 });
    await updateAndWait(crowd, { dt: 0 });
    const after = await all();
    const [right, left] = [0.25, -0.25];
    // the right half is red, the left half dark, the upper square shines
    const [red, dark, shine] = [
      colorAt(before, -2.1 + right, false),
      colorAt(before, -2.1 + left, false),
      colorAt(before, -2.1, true),
    ];
    expect(red[0]! - red[2]!).toBeGreaterThan(50);
    expect(Math.abs(dark[0]! - dark[1]!)).toBeLessThan(40);
    expect(shine[0]!).toBeGreaterThan(red[0]!);
    const blue = colorAt(after, -0.7 + right, false);
    expect(blue[2]! - blue[0]!).toBeGreaterThan(50);
    for (const x of [-2.1 + right, 0.7 + right]) expect(colorAt(after, x, false)).toEqual(colorAt(before, x, false));
    const still = colorAt(after, 2.1, true);
    expect(Math.max(...still) - Math.min(...still)).toBeLessThan(60);
    // the light of the sky differs a little from side to side
    const [rightSide, leftSide] = [right, left].map((x) => colorAt(after, 2.1 + x, false));
    rightSide!.forEach((value, i) => expect(Math.abs(value - leftSide![i]!)).toBeLessThan(3));
  });

  test('are changed where draws skin, with vertex providers too', async () => {
    const still: VertexProvider = {
      name: 'still',
      space: 'mesh',
      code: 'fn still(site: VertexSite, surface: Surface) -> Surface {\n  return surface;\n}',
      twin: (_, surface) => surface,
    };
    const character = packCharacter(towerModel(), { providers: () => 1 });
    const common = { capacity: 1, backend: 'cpu', skin: 'vertex', providers: [still] } as const;
    const options = { characters: [character], ...common };
    const crowd = own(createCrowd(device, options));
    crowd.column('heat', { size: 3 });
    crowd.column('age', {});
    const materials = own(await createMaterialTable(device, [character], GPUShaderStage.FRAGMENT));
    const change = new ChangedSurfaces(device, crowd, CHANGE, { materials, visibility: GPUShaderStage.FRAGMENT });
    const providers = new DrawnProviders(crowd);
    await change.check('draws', providers.names);
    const drawn = { device, providers, change, rewrite: (code: string) => code };
    // pipelines of draws that skin take software adapters long: modules tell as much
    for (const source of ['palette', 'provided', 'table', 'standard'] as const) {
      const { messages } = await compileDraws(drawn, source).getCompilationInfo();
      expect(
        messages.map(({ message }) => message),
        source,
      ).toEqual([]);
    }
    await providers.check();
    const taken = { ...CHANGE, code: `${CHANGE.code}\nfn still() {}` };
    const wrong = new ChangedSurfaces(device, crowd, taken, { materials, visibility: GPUShaderStage.FRAGMENT });
    await expect(wrong.check('draws', providers.names)).rejects.toThrow('"still" is taken');
  });

  test('of the frame before have its columns', async () => {
    const crowd = own(createCrowd(device, { characters: [character], capacity: 1, copies: 3 }));
    const heat = crowd.column('heat', { size: 3, default: [0.9, 0.05, 0.05] });
    crowd.column('age', { default: 0.9 });
    heat.set(crowd.spawn(character, { place: (_, at) => place(1, at) }).ids, [0.9, 0.05, 0.05]);
    const one = device.createCommandEncoder();
    const shown = crowd.encode(one, { dt: 0 });
    device.queue.submit([one.finish()]);
    await shown.submitted();
    const renderer = own(await createVisibilityRenderer(device, crowd, { ...MAPS, surface: CHANGE }));
    const first = await draw(renderer);
    heat.fill(Float32Array.of(0.05, 0.05, 0.9));
    const encoder = device.createCommandEncoder();
    const encoded = crowd.encode(encoder, { dt: 0 });
    device.queue.submit([encoder.finish()]);
    await encoded.submitted();
    expect(await draw(renderer, shown)).toEqual(first);
    const [red, , blue] = colorAt(await draw(renderer), -0.45, false);
    expect(blue! - red!).toBeGreaterThan(50);
  });

  test('are refused where the code is wrong, with its line, in both renderers alike', async () => {
    const crowd = own(createCrowd(device, { characters: [character], capacity: 1, backend: 'cpu' }));
    await updateAndWait(crowd, { dt: 0 });
    crowd.column('heat', { size: 3 });
    const changeOf = (body: string, more = '') =>
      `${more}fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface {\n  ${body}\n  return surface;\n}`;
    const tried = async (surface: unknown): Promise<string[]> => {
      const change = surface as SurfaceChange;
      const creations = [createForwardRenderer, createVisibilityRenderer].map(async (create) => {
        await expect(create(device, crowd, { ...MAPS, surface: change })).rejects.toThrow(
          /^(?:SURFACE_INVALID|CROWD_BAD_ARGUMENT)/,
        );
        return create(device, crowd, { ...MAPS, surface: change }).then(String, String);
      });
      return Promise.all(creations);
    };
    const cases: [unknown, RegExp][] = [
      [{ code: changeOf('let x: f32 = true;') }, /SURFACE_INVALID at surface:2:\d+: .*let x: f32 = true;/],
      [{ code: `\n\n${changeOf('surface.baseColor.x = 1.0;')}` }, /SURFACE_INVALID at surface:4:/],
      [{ code: changeOf('let h = heatColumn(site.character);') }, /SURFACE_INVALID at surface:2:.*heatColumn/],
      [{ code: 'fn other() {}' }, /declares no function "changeSurface"/],
      [{ code: 'fn changeSurface(a: f32) -> f32 { return a; }' }, /SURFACE_INVALID at surface: .*SurfaceSite/s],
      [{ code: changeOf('', 'fn mix(a: f32) -> f32 { return a; }\n') }, /"mix" is taken/],
      [{ code: changeOf('', 'var<private> namedColumns: f32;\n') }, /"namedColumns" is taken/],
      [{ code: changeOf(''), columns: ['heta'] }, /CROWD_BAD_ARGUMENT at surface.columns: .*"heta".*It has heat/],
      [{ code: 7 }, /CROWD_BAD_ARGUMENT at surface.code/],
      [{ code: changeOf(''), columns: 'heat' }, /CROWD_BAD_ARGUMENT at surface.columns/],
      ['red', /CROWD_BAD_ARGUMENT at surface:/],
    ];
    for (const [surface, message] of cases) {
      for (const told of await tried(surface)) expect(told).toMatch(message);
    }
    const withoutTwin = { code: changeOf('') };
    await expect(createReferenceRenderer(crowd, { surface: withoutTwin })).rejects.toThrow(coded('SURFACE_INVALID'));
    const unnamed = { code: changeOf(''), twin: CHANGE.twin! };
    const reference = await createReferenceRenderer(crowd, { ...MAPS, surface: unnamed });
    crowd.spawn(character);
    await updateAndWait(crowd, { dt: 0 });
    const picture = reference.render({ camera: CAMERA, bounds: BOUNDS, ...SIZE });
    await expect(picture).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
  });
});
