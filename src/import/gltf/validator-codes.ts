/**
 * The meaning of a finding of the Khronos validator for Maniple. The importer's own checks come first and are stricter
 * where memory safety is at stake; this table decides about the rest.
 *
 * - refuse: the file contradicts itself and has no single meaning
 * - own: the importer finds, repairs and reports it itself, with the count and the place
 * - quiet: of no consequence to a character, or ubiquitous in real files
 *
 * Anything not listed is reported as a GLTF_VALIDATOR warning if the validator calls it an error, and otherwise not at
 * all.
 */
export type CodePolicy = 'refuse' | 'own' | 'quiet';

export const CODE_POLICIES: ReadonlyMap<string, CodePolicy> = new Map<string, CodePolicy>([
  // no one reading: whatever was guessed, something would be drawn that the author never made
  ['INVALID_JSON', 'refuse'],
  ['UNKNOWN_ASSET_MAJOR_VERSION', 'refuse'],
  ['UNRESOLVED_REFERENCE', 'refuse'],
  ['NODE_LOOP', 'refuse'],
  ['NODE_PARENT_OVERRIDE', 'refuse'],
  ['BUFFER_VIEW_TOO_LONG', 'refuse'],
  ['ACCESSOR_TOO_LONG', 'refuse'],
  ['ACCESSOR_SMALL_BYTESTRIDE', 'refuse'],
  ['ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE', 'refuse'],
  ['INVALID_IBM_ACCESSOR_COUNT', 'refuse'],
  ['SKIN_IBM_INVALID_FORMAT', 'refuse'],
  ['MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT', 'refuse'],
  ['MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT', 'refuse'],
  ['MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT', 'refuse'],

  // the importer's own reports say more
  ['ANIMATION_CHANNEL_TARGET_NODE_MATRIX', 'own'],
  ['ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS', 'own'],
  ['ANIMATION_DUPLICATE_TARGETS', 'own'],
  ['ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT', 'own'],
  ['ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS', 'own'],
  ['ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT', 'own'],
  ['ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT', 'own'],
  ['MESH_INVALID_WEIGHTS_COUNT', 'own'],
  ['MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT', 'own'],
  ['MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH', 'own'],
  ['NODE_MATRIX_NON_TRS', 'own'],
  ['NODE_SKIN_WITH_NON_SKINNED_MESH', 'own'],
  ['NODE_WEIGHTS_INVALID', 'own'],

  // exporters write these every day, and nothing that Maniple reads depends on them
  ['ACCESSOR_OFFSET_ALIGNMENT', 'quiet'],
  ['ACCESSOR_TOTAL_OFFSET_ALIGNMENT', 'quiet'],
  ['ACCESSOR_MATRIX_ALIGNMENT', 'quiet'],
  ['ACCESSOR_USAGE_OVERRIDE', 'quiet'],
  ['ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE', 'quiet'],
  ['ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS', 'quiet'],
  ['BUFFER_DATA_URI_MIME_TYPE_INVALID', 'quiet'],
  ['BUFFER_VIEW_INVALID_BYTE_STRIDE', 'quiet'],
  ['BUFFER_VIEW_TARGET_OVERRIDE', 'quiet'],
  ['EMPTY_ENTITY', 'quiet'],
  ['IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE', 'quiet'],
  ['INVALID_URI', 'quiet'],
  ['IO_ERROR', 'quiet'],
  ['MESH_PRIMITIVE_ACCESSOR_UNALIGNED', 'quiet'],
  ['MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE', 'quiet'],
  ['MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE', 'quiet'],
  ['MESH_PRIMITIVE_NO_TANGENT_SPACE', 'quiet'],
  ['MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS', 'quiet'],
  ['NODE_SKIN_NO_SCENE', 'quiet'],
  ['NON_REQUIRED_EXTENSION', 'quiet'],
  ['SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE', 'quiet'],
  ['SKIN_NO_COMMON_ROOT', 'quiet'],
  ['SKIN_SKELETON_INVALID', 'quiet'],
  ['UNUSED_EXTENSION_REQUIRED', 'quiet'],

  // hints and warnings, named so that they do not use up the number of findings that is asked for
  ['BUFFER_VIEW_TARGET_MISSING', 'quiet'],
  ['EXTRA_PROPERTY', 'quiet'],
  ['INCOMPLETE_EXTENSION_SUPPORT', 'quiet'],
  ['INVALID_EXTENSION_NAME_FORMAT', 'quiet'],
  ['MATERIAL_ALPHA_CUTOFF_INVALID_MODE', 'quiet'],
  ['MESH_PRIMITIVE_GENERATED_TANGENT_SPACE', 'quiet'],
  ['MULTIPLE_EXTENSIONS', 'quiet'],
  ['NODE_EMPTY', 'quiet'],
  ['NODE_MATRIX_DEFAULT', 'quiet'],
  ['NODE_SKINNED_MESH_LOCAL_TRANSFORMS', 'quiet'],
  ['NODE_SKINNED_MESH_NON_ROOT', 'quiet'],
  ['NON_OBJECT_EXTRAS', 'quiet'],
  ['UNEXPECTED_PROPERTY', 'quiet'],
  ['UNSUPPORTED_EXTENSION', 'quiet'],
  ['UNUSED_MESH_TANGENT', 'quiet'],
  ['UNUSED_MESH_WEIGHTS', 'quiet'],
  ['UNUSED_OBJECT', 'quiet'],
]);

/** Places where even a refusable finding is only reported: looks, cameras and lights move no vertex. */
export const LENIENT_PLACES: RegExp =
  /^\/(?:asset|cameras|materials|textures|images|samplers)(?:\/|$)|\/(?:extensions|extras)(?:\/|$)|\/(?:material|camera)$/;
