import { bindings, reads, sampler, storageTexture, struct, texture, uniform, writes } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';

/** Threads of a workgroup that serve a row each. Two words of a bit per row. */
export const GROUP_ROWS = 64;
/** Threads of the one workgroup of assign-tiles. */
export const ASSIGN_THREADS = 256;
/** Tiles that share one hash of their keys. */
export const SET_TILES = 8;
/** Limit of tiles that one pass draws. */
export const TILES_AT_ONCE = 32;
/** Tiles in a row of the scratch that they are drawn to. */
export const SCRATCH_COLUMNS = 8;
/** A tile that has not been seen for this number of pictures may be given away. */
export const KEPT_PICTURES = 8;
/** Sizes of each tile in the atlas, each half as large as the one before. */
export const TILE_MIPS = 3;
/** Pixels of the scratch along a texel of a tile. */
export const OVERSAMPLING = 2;

/** One choice: which characters of a view are drawn as impostors. */
export const ImpostorParams = /* @__PURE__ */ struct('ImpostorParams', {
  /** Tiles show characters as seen from here; if `isParallel`, along this direction towards the viewer. */
  eye: 'vec3f',
  isParallel: 'u32',
  /** Depth of a point of the picture: dot(xyz, point) + w. */
  depth: 'vec4f',
  /** Pixels that a metre takes at depth 1. */
  pixelsPerMetre: 'f32',
  /** Pixels along the longest edge of a character's box at rest: from `above` on all is mesh, up to `below` all is impostor. */
  below: 'f32',
  above: 'f32',
  /** Counts pictures, from 1. */
  frame: 'u32',
  /** Bit mask of the crowd's views. */
  views: 'u32',
  /** Row of the crowd's first shared pose. */
  firstShared: 'u32',
  /** Rows of the visible list at most, a multiple of GROUP_ROWS. */
  rowCapacity: 'u32',
  drawCount: 'u32',
  /** Rows of the first ImpostorClip and the first ImpostorDraw in `plan`. */
  clipRow: 'u32',
  drawRow: 'u32',
  /** Shared poses of a clip. */
  phases: 'u32',
  /** Sets of SET_TILES tiles. */
  setCount: 'u32',
  /** Cells along each side of the octahedron's square. */
  directions: 'u32',
  /** Tiles that this picture may draw. */
  tileLimit: 'u32',
  /** Word of the second half of `targets`: arguments of draws of tiles. Then those of the impostors. */
  tileTargets: 'u32',
  quadTargets: 'u32',
  /** Texels along a tile, and tiles in a row of the atlas. */
  tileSize: 'u32',
  columns: 'u32',
  /** First row of this choice in `choices` and `impostors`: the sun's and the eye's last side by side where both are drawn at once. */
  firstChoice: 'u32',
});

/** A type, by its index in the crowd. */
export const ImpostorType = /* @__PURE__ */ struct('ImpostorType', {
  /** Bits of its parts. */
  parts: 'vec2u',
  /** Metres along the longest edge of its box at rest. */
  size: 'f32',
  /** 1 if impostors can hold its materials. */
  isHeld: 'u32',
});

/** A clip of a type, by shared pose / phases: the box in model space that contains its poses. */
export const ImpostorClip = /* @__PURE__ */ struct('ImpostorClip', {
  center: 'vec3f',
  pad0: 'u32',
  /** Half its edges. */
  extent: 'vec3f',
  pad1: 'u32',
});

/** A draw of the crowd: characters of one page, type and level. Words of its `targets`. */
export const ImpostorDraw = /* @__PURE__ */ struct('ImpostorDraw', {
  recordWord: 'u32',
  /** The instance count of its first primitive; those of the others follow, DRAW_WORDS apart. */
  instanceWord: 'u32',
  primitiveCount: 'u32',
  pad0: 'u32',
});
/** Words of the arguments of an indexed draw. */
export const DRAW_WORDS = 5;

/** How a row of the visible list is drawn. */
export const ImpostorChoice = /* @__PURE__ */ struct('ImpostorChoice', {
  /** Shown parts, as bits of those that the type has. */
  parts: 'vec2u',
  /** Shared pose × directions² + direction. CHOICE_NONE: it can only be a mesh, or none is wanted. */
  key: 'u32',
  /** The tile that shows it; CHOICE_NONE: none does yet. */
  tile: 'u32',
  /** Share of its pixels that the impostor takes: 0 … 1. */
  fade: 'f32',
  /** Index of its ImpostorDraw, and its level of detail. */
  draw: 'u32',
  level: 'u32',
  pad0: 'u32',
});
export const CHOICE_NONE = 0xffffffff;

/** The contents of a tile of the atlas. All zero: nothing. */
export const ImpostorTile = /* @__PURE__ */ struct('ImpostorTile', {
  parts: 'vec2u',
  /** As in ImpostorChoice, + 1. */
  key: 'u32',
  /** Level of detail of the mesh that it was drawn from. */
  level: 'u32',
});

/** An impostor that is drawn. */
export const Impostor = /* @__PURE__ */ struct('Impostor', {
  /** Row of the visible list. */
  row: 'u32',
  tile: 'u32',
  key: 'u32',
  fade: 'f32',
});

/** A tile that this picture draws, and its place among those that do, sorted by draws. */
export const AssignedTile = /* @__PURE__ */ struct('AssignedTile', {
  /** Row of the visible list that is drawn; CHOICE_NONE: none. */
  row: 'u32',
  tile: 'u32',
  draw: 'u32',
  place: 'u32',
});

/** Number of counts of the last picture. */
export const IMPOSTOR_COUNTS = 4;
/** Rows that are drawn as impostors, those that wait for a tile, tiles drawn, requests without room for another tile. */
export const COUNT_DRAWN = 0;
export const COUNT_WAITING = 1;
export const COUNT_TILES = 2;
export const COUNT_REFUSED = 3;

/**
 * Words of `marks`: TILES_AT_ONCE times AssignedTile, the counts, and from FIRST_MARK on what `marks.wesl` and `marksOf` say.
 */
export const ASSIGNED_WORDS = 4;
export const COUNT_WORD = 128;
export const FIRST_MARK = 160;

export const chooseBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ImpostorParams),
  visible: reads(VisibleCharacter),
  targets: reads('u32'),
  residents: reads(Resident),
  transforms: reads(Transform),
  plan: reads('vec4u'),
  tiles: reads(ImpostorTile),
  choices: writes(ImpostorChoice),
  marks: writes('atomic<u32>'),
});

export const assignBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ImpostorParams),
  choices: reads(ImpostorChoice),
  tiles: writes(ImpostorTile),
  marks: writes('atomic<u32>'),
});

export const listBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ImpostorParams),
  visible: reads(VisibleCharacter),
  targets: reads('u32'),
  plan: reads('vec4u'),
  choices: reads(ImpostorChoice),
  marks: writes('atomic<u32>'),
  listed: writes(VisibleCharacter),
  listedTargets: writes('u32'),
  impostors: writes(Impostor),
});

/** Group 0 of draws of tiles. */
export const tileBindings = /* @__PURE__ */ bindings(0, { params: uniform(ImpostorParams), plan: reads('vec4u') });

/** Group 0 of store-tiles: from the scratch to one size of the atlas. */
export const StoreParams = /* @__PURE__ */ struct('StoreParams', { mip: 'u32', pad0: 'u32', pad1: 'u32', pad2: 'u32' });
export const storeBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ImpostorParams),
  store: uniform(StoreParams),
  assigned: reads(AssignedTile),
  drawnColor: texture('texture_2d<f32>', { filterable: false }),
  drawnNormal: texture('texture_2d<f32>', { filterable: false }),
  drawnMaterial: texture('texture_2d<f32>', { filterable: false }),
  storedColor: storageTexture('rgba8unorm'),
  storedNormal: storageTexture('rgba8unorm'),
  storedMaterial: storageTexture('rgba8unorm'),
});

/** Group 1 of draws of impostors. */
export const impostorBindings = /* @__PURE__ */ bindings(1, {
  params: uniform(ImpostorParams),
  impostors: reads(Impostor),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  residents: reads(Resident),
  plan: reads('vec4u'),
  /** Base colour (sRGB) and coverage. */
  tileColor: texture(),
  /** Normal in model space, and how far it is before the box's middle. */
  tileNormal: texture(),
  /** Metallic, roughness, occlusion, and the index of the primitive. */
  tileMaterial: texture(),
  tileSampler: sampler(),
});
