import {
  DoubleSide,
  MaxEquation,
  MeshStandardNodeMaterial,
  type Node,
  type NodeBuilder,
  OneFactor,
  type Texture,
  type WebGPURenderer,
  ZeroFactor,
} from 'three/webgpu';
import {
  cameraFar,
  cameraNear,
  cameraPosition,
  cameraProjectionMatrix,
  cameraWorldMatrix,
  cross,
  diffuseColor,
  dot,
  float,
  Fn,
  If,
  instanceIndex,
  materialAO,
  materialMetalness,
  materialRoughness,
  modelViewMatrix,
  modelWorldMatrix,
  modelWorldMatrixInverse,
  mrt,
  normalLocal,
  normalView,
  positionGeometry,
  positionLocal,
  positionPrevious,
  screenCoordinate,
  screenSize,
  select,
  sRGBTransferEOTF,
  tangentLocal,
  texture,
  transformNormalToView,
  uint,
  varyingProperty,
  vec2,
  vec3,
  vec4,
  velocity,
  viewZToLogarithmicDepth,
  wgslFn,
} from 'three/tsl';
import { SCRATCH_COLUMNS, TILES_AT_ONCE } from '../../render/impostors/layout.ts';
import type { ImpostorPlan } from '../../render/impostors/options.ts';
import { Transform, VISIBLE_NEW, VisibleCharacter } from '../../stages/layout.ts';
import {
  assignCharacter,
  attributeWordOf,
  crowdId,
  crowdTint,
  type CrowdTables,
  isSeen,
  isShown,
  type ListedRow,
  listRow,
  type Past,
  positionBy,
  rotateByQuaternion,
  transformBy,
} from '../crowd-nodes.ts';
import { asFloat, asFloats, quadsOf, readRows, type Table } from '../rows.ts';
import type { VertexSource } from '../vertex-sources.ts';

type Of<T extends string> = Node<T>;
const as = <T extends string>(node: unknown): Of<T> => node as Of<T>;

/** Sizes of the atlas, boxes of clips, and how keys are made of shared poses and directions. */
export interface TilePlan extends Pick<ImpostorPlan, 'tilePx' | 'columns' | 'directions'> {
  readonly rows: number;
  readonly phases: number;
  /** Table of ImpostorClip from `clipRow` on. */
  readonly boxes: Table;
  readonly clipRow: number;
}

/** The atlas as textures of three.js. */
export type TileTextures = Readonly<Record<'Color' | 'Normal' | 'Material', Texture>>;

/** Thickness of limbs, as a share of half the larger edge of a tile. */
const THICKNESS = 0.08;
/** A tile is so much larger than the box of its clip, as it is seen from there. */
const TILE_MARGIN = 1.1;

/** Axes of tiles that are seen from the middle of a cell, as `basisOf` in directions.wesl: right, up, towards the eye. */
const tileAxes = wgslFn<[Node, Node]>(/* wgsl */ `
  fn tileAxes(cell: u32, directions: u32) -> mat3x3<f32> {
    let at = (vec2<f32>(vec2<u32>(cell % directions, cell / directions)) + 0.5) * (2.0 / f32(directions)) - 1.0;
    let z = 1.0 - abs(at.x) - abs(at.y);
    let fold = max(-z, 0.0);
    let toward = normalize(vec3<f32>(at + select(vec2<f32>(fold), vec2<f32>(-fold), at >= vec2<f32>(0.0)), z));
    let pole = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), abs(toward.y) > 0.9);
    let right = normalize(cross(pole, toward));
    return mat3x3<f32>(right, cross(toward, right), toward);
  }`);
/** Half the size of a quad, as `quadOf` in impostor.wesl. */
const quadRoom = wgslFn<[Node, Node, Node]>(/* wgsl */ `
  fn quadRoom(ray: vec3<f32>, reach: vec3<f32>, isParallel: f32) -> vec2<f32> {
    let across = abs(ray.xy) + (1.0 - isParallel) * 1.25 * reach.xy;
    let shift = across / abs(ray.z) * reach.z / reach.xy;
    return min((1.0 + shift) * ${(1.04 / TILE_MARGIN).toFixed(8)}, vec2<f32>(2.0));
  }`);
/** A number from 0 to 1 for each pixel and character, as `threshold` in fade.wesl. */
const crossing = wgslFn<[Node, Node]>(/* wgsl */ `
  fn crossing(pixel: vec2<f32>, character: u32) -> f32 {
    let at = vec2<u32>(vec2<i32>(floor(pixel)));
    var h = (at.x * 0x8da6b343u) ^ (at.y * 0xd8163841u) ^ (character * 0x9e3779b1u);
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12u)) * 0x297a2d39u;
    return f32((h ^ (h >> 15u)) >> 8u) * (1.0 / 16777216.0);
  }`);

/** The impostor's share of a character's pixels, as bits of a float. */
const shareBits = varyingProperty('uint', 'vImpostorShare');
/** True where the impostor is shown, not the mesh. */
const isImpostor = as<'bool'>(as<'float'>(crossing(screenCoordinate.xy, crowdId)).lessThan(asFloat(shareBits)));
/** Where a mesh is drawn that crosses over. */
export const meshMask: Node<'bool'> = as(isImpostor.not());

/** Sets the share of a mesh that is drawn. The crowd's own list has something else in its place. */
export function assignShare(listed: ListedRow): void {
  shareBits.assign(select(listRow.equal(uint(0)), uint(0), listed.word('motionRow')));
}

/** The meaning of a tile's key, inside an `Fn`. */
function tileOf(key: Node<'uint'>, { directions, phases, boxes, clipRow }: TilePlan) {
  const views = uint(directions * directions);
  const box = key.div(views).div(uint(phases)).mul(uint(2)).add(uint(clipRow)).toVar();
  const [center, extent] = [0, 1].map((row) => asFloats(quadsOf(boxes)(as(box.add(uint(row))))).xyz.toVar());
  const axes = as<'mat3'>(tileAxes(key.mod(views), uint(directions))).toVar();
  const [right, up, toward] = [vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)].map((one) =>
    as<'vec3'>(axes.mul(one)).toVar(),
  );
  const reach = vec3(dot(right!.abs(), extent!), dot(up!.abs(), extent!), dot(toward!.abs(), extent!));
  return { center: center!, right: right!, up: up!, toward: toward!, reach: reach.mul(TILE_MARGIN) };
}

/** In a tile that is drawn: −1 … 1 to the right, up, and towards the eye. */
const tilePlace = varyingProperty('vec3', 'vTilePlace');
const tileClip = varyingProperty('vec4', 'vTileClip');

/** Position node of meshes that are drawn to tiles: in model space. `tileVertex` then says where it is in the scratch. */
export function tilePosition(tables: CrowdTables, vertices: VertexSource, plan: TilePlan): Node<'vec3'> {
  const visible = readRows(tables.visible, VisibleCharacter);
  return positionBy(({ geometry }) => {
    const listed = visible(as(tables.firstRow().add(instanceIndex)));
    const isDrawn = isShown(listed).toVar();
    const [hasNormals, hasTangents] = [geometry.hasAttribute('normal'), geometry.hasAttribute('tangent')];
    positionLocal.assign(vec3(0));
    if (hasNormals) normalLocal.assign(vec3(0, 1, 0));
    if (hasTangents) tangentLocal.assign(vec3(1, 0, 0));
    tilePlace.assign(vec3(0));
    tileClip.assign(vec4(0, 0, -1, 1));
    If(isDrawn, () => {
      const vertex = vertices(listed.word('currentVertexOffset'), attributeWordOf(listed));
      positionLocal.assign(vertex.position());
      if (hasNormals) normalLocal.assign(vertex.normal());
      if (hasTangents) tangentLocal.assign(vertex.tangent());
      const { center, right, up, toward, reach } = tileOf(as(listed.word('motionRow').toVar()), plan);
      const offset = positionLocal.sub(center).toVar();
      tilePlace.assign(vec3(dot(offset, right), dot(offset, up), dot(offset, toward)).div(reach));
      const index = listed.word('paletteRow');
      const cell = vec2(index.mod(uint(SCRATCH_COLUMNS)).toFloat(), index.div(uint(SCRATCH_COLUMNS)).toFloat());
      const cells = vec2(SCRATCH_COLUMNS, TILES_AT_ONCE / SCRATCH_COLUMNS);
      const at = cell.add(vec2(0.5, 0.5).add(tilePlace.xy.mul(vec2(0.5, -0.5)))).div(cells);
      tileClip.assign(vec4(at.x.mul(2).sub(1), at.y.mul(-2).add(1), tileDepth, 1));
    });
    return positionLocal;
  });
}

/** Depth in the scratch; turned over where depth is reversed. */
const tileDepth = as<'float'>(tilePlace.z.mul(-0.45).add(0.5).clamp(0, 1));

/** Changes of a material that is drawn to tiles. */
export function tileParts({ reversedDepthBuffer }: WebGPURenderer) {
  return {
    /** Replaces the camera. Positions of tiles stay in model space, so normal maps find their axes. */
    setupModelViewProjection: () =>
      reversedDepthBuffer ? vec4(tileClip.xy, float(1).sub(tileClip.z), 1) : vec4(tileClip.xyz, 1),
    /** Keeps a character within its box: pixels beyond it would be in another tile. */
    mask: as<'bool'>(tilePlace.x.abs().max(tilePlace.y.abs()).lessThanEqual(1)),
  };
}

/** Values that are drawn to the scratch, by name of its textures. */
export const tileOutputs: ReturnType<typeof mrt> = mrt({
  Color: vec4(diffuseColor.rgb, 1),
  Normal: vec4(normalView.mul(0.5).add(0.5), tilePlace.z.mul(0.5).add(0.5)),
  Material: vec4(materialMetalness, materialRoughness, materialAO, 1),
});

const vPlace = varyingProperty('vec2', 'vImpostorPlace');
/** From the eye, along the tile's axes and in the crowd's space; of any length. */
const vTileRay = varyingProperty('vec3', 'vImpostorTileRay');
const vRay = varyingProperty('vec3', 'vImpostorRay');
const vRotation = varyingProperty('vec4', 'vImpostorRotation');
/** Half the tile's edges and its depth in metres, and level of the atlas. */
const vReach = varyingProperty('vec4', 'vImpostorReach');
/** In the atlas: the middle of the tile, and from there to its right upper corner. */
const vTile = varyingProperty('vec4', 'vImpostorTile');

/** From this frame's rotation to the last one's, and the same of the scale. */
const vTurn = varyingProperty('vec4', 'vImpostorTurn');
const vGrowth = varyingProperty('float', 'vImpostorGrowth');

/** The direction in which a point of the crowd's space is looked at, inside an `Fn` of the vertex stage. */
function rays() {
  const isParallel = as<'bool'>(cameraProjectionMatrix.mul(vec4(0, 0, 0, 1)).w.greaterThan(0.5)).toVar();
  const eye = modelWorldMatrixInverse.mul(vec4(cameraPosition, 1)).xyz.toVar();
  const forward = modelWorldMatrixInverse.mul(cameraWorldMatrix.mul(vec4(0, 0, -1, 0))).xyz.toVar();
  return { isParallel, to: (point: Node<'vec3'>) => as<'vec3'>(select(isParallel, forward, point.sub(eye))) };
}

/** The rotation that leads from one to another: to × from⁻¹. */
function turnFrom(from: Node<'vec4'>, to: Node<'vec4'>): Node<'vec4'> {
  const [p, n] = [to.xyz, from.xyz];
  return vec4(p.mul(from.w).sub(n.mul(to.w)).sub(cross(p, n)), to.w.mul(from.w).add(dot(p, n)));
}

/** Position node of quads: in the plane of the tile, through the middle of the box of the character's clip. */
function quadPosition(tables: CrowdTables, impostors: Table, plan: TilePlan, past: Past): Node<'vec3'> {
  const visible = readRows(tables.visible, VisibleCharacter);
  const transforms = readRows(tables.transforms, Transform);
  const previousTransforms = readRows(tables.previousTransforms, Transform);
  const quads = quadsOf(impostors);
  return positionBy((builder) => {
    const own = quads(as(listRow.add(instanceIndex))).toVar();
    // impostors name rows of the crowd's own list, which is the first
    const listed = visible(own.x);
    const hasPast = builder.needsPreviousData();
    if (hasPast) past.begin();
    const isDrawn = isSeen(listed).toVar();
    positionLocal.assign(vec3(0));
    normalLocal.assign(vec3(0, 1, 0));
    if (hasPast) positionPrevious.assign(vec3(0));
    If(isDrawn, () => {
      const character = listed.word('character').toVar();
      const now = transformBy(transforms(as(character)));
      const { center, right, up, toward, reach } = tileOf(as(own.z.toVar()), plan);
      const size = reach.mul(now.scale).toVar();
      const axes = [right, up, toward].map((axis) => now.turned(axis).toVar());
      const { isParallel, to } = rays();
      const inTile = (ray: Node<'vec3'>) => vec3(dot(ray, axes[0]!), dot(ray, axes[1]!), dot(ray, axes[2]!));
      const middle = now.placed(center).toVar();
      const room = as<'vec2'>(quadRoom(inTile(to(middle)), size, isParallel.toFloat()));
      const place = positionGeometry.xy.mul(room).toVar();
      const across = right.mul(place.x.mul(reach.x)).add(up.mul(place.y.mul(reach.y)));
      const model = center.add(across).toVar();
      positionLocal.assign(now.placed(as(model)));
      normalLocal.assign(axes[2]!);
      if (hasPast) {
        const isNew = listed.word('detail').bitAnd(uint(VISIBLE_NEW)).notEqual(uint(0));
        const last = transformBy(previousTransforms(as(character)));
        positionPrevious.assign(select(isNew, positionLocal, last.placed(as(model))).add(past.originShift));
        vTurn.assign(select(isNew, vec4(0, 0, 0, 1), turnFrom(now.rotation, last.rotation)));
        vGrowth.assign(select(isNew, float(1), last.scale.div(now.scale)));
      }
      const ray = to(positionLocal).toVar();
      vPlace.assign(place);
      vRay.assign(ray);
      vTileRay.assign(inTile(ray));
      vRotation.assign(now.rotation);
      // a texel of the tile takes half a pixel
      const depth = cameraProjectionMatrix.mul(modelViewMatrix.mul(vec4(middle, 1))).w;
      const perMetre = screenSize.y
        .mul(0.5)
        .mul(cameraProjectionMatrix.mul(vec4(0, 1, 0, 0)).y)
        .div(depth);
      const texels = float(plan.tilePx).div(perMetre.abs().mul(4).mul(size.x.mul(size.y).sqrt()));
      vReach.assign(vec4(size, texels.log2().max(0)));
      const cell = vec2(own.y.mod(uint(plan.columns)).toFloat(), own.y.div(uint(plan.columns)).toFloat());
      const half = vec2(0.5 / plan.columns, 0.5 / plan.rows);
      vTile.assign(vec4(cell.mul(2).add(1).mul(half), half.x, half.y.negate()));
      assignCharacter(as(character), tables.residents);
      shareBits.assign(own.w);
    });
    return positionLocal;
  });
}

/** The surface on a pixel's ray: its place in the tile, and how far it is before the plane of the quad, −1 … 1. */
function hitOf(normals: (place: Node<'vec2'>) => Node<'vec4'>): Node<'vec3'> {
  return as(
    Fn(() => {
      // steps along the ray to the height that the tile has where the last step ended
      const slope = vTileRay.xy.div(vTileRay.z).mul(vReach.z).div(vReach.xy).toVar();
      const place = vec2(vPlace).toVar();
      const height = float(0).toVar();
      for (let step = 0; step < 3; step++) {
        height.assign(normals(as(place)).w.mul(2).sub(1));
        place.assign(vPlace.add(slope.mul(height)));
      }
      return vec3(place, height);
    })(),
  );
}

/** Material of impostors, lit as a MeshStandardMaterial. */
export function impostorMaterial(
  renderer: WebGPURenderer,
  tables: CrowdTables,
  impostors: Table,
  atlas: TileTextures,
  plan: TilePlan,
  past: Past,
): MeshStandardNodeMaterial {
  const edge = 1 - 1 / plan.tilePx;
  const uvOf = (place: Node<'vec2'>) => vTile.xy.add(place.clamp(-edge, edge).mul(vTile.zw));
  const sampled =
    (map: Texture, skipped = 0) =>
    (place: Node<'vec2'>) =>
      as<'vec4'>(texture(map, as(uvOf(place))).level(as(vReach.w.sub(skipped).max(0))));
  const normals = sampled(atlas.Normal);
  const hit = hitOf(normals).toVar('impostorHit');
  const place = as<'vec2'>(hit.xy);
  const colorAt = sampled(atlas.Color);
  const color = coverOf(place, colorAt).toVar('impostorColor');
  // the largest size of materials is not stored
  const surface = sampled(atlas.Material, 1)(place).toVar('impostorSurface');
  const local = as<'vec3'>(positionLocal.add(vRay.mul(hit.z.mul(vReach.z).div(vTileRay.z))).toVar('impostorLocal'));
  const covered = as<'bool'>(colorAt(place).a.greaterThanEqual(0.5));
  const material = new MeshStandardNodeMaterial({ name: 'impostors', side: DoubleSide, alphaToCoverage: true });
  Object.assign(material, KEEPS_ALPHA);
  material.positionNode = quadPosition(tables, impostors, plan, past);
  material.maskNode = as<'bool'>(color.a.greaterThan(0).and(isImpostor));
  material.maskShadowNode = covered;
  material.colorNode = vec4(color.rgb.mul(crowdTint.rgb), color.a);
  const normal = as<'vec3'>(normals(place).xyz.mul(2).sub(1).normalize().toVar('impostorNormal'));
  material.normalNode = transformNormalToView(rotateByQuaternion(normal, as(vRotation))).normalize();
  material.metalnessNode = surface.x;
  // as three.js does with normals of meshes
  const bent = normal.dFdx().abs().max(normal.dFdy().abs()).toVar();
  material.roughnessNode = as(surface.y.max(0.0525).add(bent.x.max(bent.y).max(bent.z)).min(1));
  material.aoNode = surface.z;
  material.receivedShadowPositionNode = as(modelWorldMatrix.mul(vec4(local, 1)).xyz);
  material.depthNode = depthOf(local);
  const exact = mrt({ velocity: velocityOf(local) });
  // three.js reads it for each shader that it builds
  const get = () => (renderer.getMRT()?.outputNodes.velocity === velocity ? exact : null);
  Object.defineProperty(material, 'mrtNode', { get, set: () => {}, enumerable: true });
  return material;
}

/**
 * Motion vector of the surface: its transform's. Without it three.js takes that of the quad's plane, which lacks the character's
 * turns. Outputs that compute with `velocity` have that one.
 */
function velocityOf(local: Node<'vec3'>): Node<'vec2'> {
  const { currentProjectionMatrix, previousProjectionMatrix, previousCameraViewMatrix, previousModelWorldMatrix } =
    velocity as unknown as Readonly<Record<string, Node<'mat4'>>>;
  const turned = rotateByQuaternion(as(local.sub(positionLocal)), as(vTurn)).mul(vGrowth);
  const before = vec4(positionPrevious.add(turned), 1);
  const now = as<'vec4'>(currentProjectionMatrix!.mul(modelViewMatrix).mul(vec4(local, 1))).toVar();
  const past = previousProjectionMatrix!.mul(previousCameraViewMatrix!).mul(previousModelWorldMatrix!);
  const last = as<'vec4'>(past.mul(before)).toVar();
  // the node itself keeps these matrices up to date
  const kept = as<'vec2'>(velocity).mul(0);
  return as(now.xy.div(now.w).sub(last.xy.div(last.w)).add(kept));
}

/**
 * Samples that the coverage leaves out keep the alpha of the picture. Those that it takes have the larger one, because the coverage is
 * the alpha.
 */
const KEEPS_ALPHA = {
  blendSrc: OneFactor,
  blendDst: ZeroFactor,
  blendEquationAlpha: MaxEquation,
  blendSrcAlpha: OneFactor,
  blendDstAlpha: OneFactor,
};

/** Samples of a pixel: how far to the right and down they are, and the coverage that lights each. */
const SAMPLES = [
  [-0.125, -0.375, 0.375],
  [0.375, -0.125, 0.625],
  [-0.375, 0.125, 0.625],
  [0.125, 0.375, 0.375],
] as const;

/**
 * A pixel's colour, and the share of its samples that the surface covers. Where three.js draws one sample it is 0 or 1. As `coveredOf` in
 * impostor.wesl, but alpha to coverage chooses the samples, because three.js has no sample mask.
 */
function coverOf(place: Node<'vec2'>, colorAt: (place: Node<'vec2'>) => Node<'vec4'>): Node<'vec4'> {
  const cover = Fn((builder: NodeBuilder) => {
    const isSmooth = (builder as unknown as Builder).renderer.currentSamples > 1;
    // dFdy of three.js is upwards
    const [across, down] = [vPlace.dFdx().toVar(), vPlace.dFdy().negate().toVar()];
    const sum = vec4(0).toVar();
    for (const [right, below, least] of isSmooth ? SAMPLES : ([[0, 0, 0.5]] as const)) {
      const found = colorAt(as(place.add(across.mul(right)).add(down.mul(below)))).toVar();
      const share = select(found.a.greaterThanEqual(least), float(1), float(0));
      sum.addAssign(vec4(as<'vec3'>(sRGBTransferEOTF(found.rgb)), 1).mul(share));
    }
    return vec4(sum.rgb.div(sum.a.max(1)), sum.a.div(isSmooth ? SAMPLES.length : 1));
  });
  return as(cover());
}

/** The members used of three's node builder. */
interface Builder {
  readonly renderer: WebGPURenderer & { readonly currentSamples: number };
  readonly camera: { readonly isOrthographicCamera?: boolean };
  readonly material: { readonly isShadowPassMaterial?: boolean };
}

/** Depth of a point of the crowd's space, as the camera's pictures have it. */
function depthOf(local: Node<'vec3'>): Node<'float'> {
  const depth = Fn((builder: NodeBuilder) => {
    const { renderer, camera, material } = builder as unknown as Builder;
    // shadow maps of three.js have the back faces of meshes, which is why they need no bias
    const thickness = vReach.x.max(vReach.y).mul(material.isShadowPassMaterial ? THICKNESS : 0);
    const view = modelViewMatrix.mul(vec4(local.add(vRay.normalize().mul(thickness)), 1)).toVar();
    if (renderer.logarithmicDepthBuffer && !camera.isOrthographicCamera) {
      return viewZToLogarithmicDepth(view.z, cameraNear, cameraFar);
    }
    const clip = cameraProjectionMatrix.mul(view).toVar();
    return clip.z.div(clip.w).clamp(0, 1);
  });
  return as(depth());
}
