import { NOT_ATTACHED } from '../../crowd/not-attached.ts';
import { COLUMNS_HEAD } from '../../frame/tables/named-columns.ts';
import type { Fields, Struct } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { TEXEL_SHIFT, TEXELS_PER_ROW } from '../rows.ts';

/**
 * GLSL that `WebGLRenderer`'s materials draw crowds with. It precedes a material's own vertex shader. There `position`, `normal` and
 * `tangent` are those of the posed vertex in the crowd's space. So code that changes them goes on to work. The
 * material's `main` gets another name, and runs for characters that are drawn. It mirrors `crowdPosition` and `boundSource`.
 */

/** Name of a material's own `main`. */
const OWN_MAIN = 'crowdMaterialMain';

const COMMON = /* glsl */ `
uniform highp usampler2D crowdColumns;
uniform uvec4 crowdSections;
varying vec4 vCrowdTint;
flat varying uint vCrowdId;
vec3 crowdPosition;
vec3 crowdNormal;
vec4 crowdTangent;

uvec4 crowdTexel(highp usampler2D table, uint texel) {
  return texelFetch(table, ivec2(int(texel & ${TEXELS_PER_ROW - 1}u), int(texel >> ${TEXEL_SHIFT}u)), 0);
}
vec4 crowdFloats(highp usampler2D table, uint texel) { return uintBitsToFloat(crowdTexel(table, texel)); }
void crowdAssign(uint row) {
  uint word = crowdTexel(crowdColumns, crowdSections.y + row * ${quadsIn(Resident)}u + ${quadOf(Resident, 'tint')}u).${componentOf(Resident, 'tint')};
  vCrowdId = row;
  vCrowdTint = vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u) / 255.0;
}
`;

/** How a character's vertices are drawn. */
export interface CharacterVariant {
  /** True if vertices have morph targets. */
  readonly hasMorphs: boolean;
  /** True for draws that find the character in a pixel: see `pickedFragment`. */
  readonly isPicked: boolean;
}

/** Vertex shader of a material for characters. Normals are turned by the inverse transpose, up to a factor. */
export function characterVertex(shader: string, { hasMorphs, isPicked }: CharacterVariant): string {
  const listed = (field: keyof (typeof VisibleCharacter)['fields'] & string) =>
    `listed${quadOf(VisibleCharacter, field)}.${componentOf(VisibleCharacter, field)}`;
  const [first, second] = [quadOf(VisibleCharacter, 'parts'), componentOf(VisibleCharacter, 'parts')];
  const parts = `listed${first}.${second}${second === 'x' ? 'y' : 'w'}`;
  const quads = Array.from({ length: quadsIn(VisibleCharacter) }, (_, q) => q);
  const code = /* glsl */ `${COMMON}
uniform highp usampler2D crowdPage;
uniform highp usampler2D crowdBound;
uniform uint crowdFirstRow;
uniform uint crowdViews;
uniform uint crowdMorphRow;
attribute uint crowdPart;

${hasMorphs ? MORPH : ''}
vec3 crowdTurn(vec3 v, vec4 q) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

bool crowdAssemble() {
  uint row = crowdSections.x + (crowdFirstRow + uint(gl_InstanceID)) * ${quads.length}u;
${quads.map((q) => `  uvec4 listed${q} = crowdTexel(crowdColumns, row + ${q}u);`).join('\n')}
  uvec2 parts = ${parts};
  bool isShown = (((crowdPart < 32u ? parts.x : parts.y) >> (crowdPart & 31u)) & 1u) != 0u;
  if ((${listed('views')} & crowdViews) == 0u || !isShown) return false;
  uint slot = ${listed('currentVertexOffset')} >> 1;
  crowdPosition = position;
  crowdNormal = normal;
  uvec4 head = crowdTexel(crowdBound, uint(gl_VertexID));
${hasMorphs ? '  crowdMorph(slot, head.z);' : ''}
  vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
  for (uint i = 0u; i < head.y; i++) {
    uvec4 pair = crowdTexel(crowdBound, head.x + i);
    for (int side = 0; side < 2; side++) {
      float weight = uintBitsToFloat(side == 0 ? pair.y : pair.w);
      if (weight == 0.0) continue;
      uint entry = slot + (side == 0 ? pair.x : pair.z) * 3u;
      x += weight * crowdFloats(crowdPage, entry);
      y += weight * crowdFloats(crowdPage, entry + 1u);
      z += weight * crowdFloats(crowdPage, entry + 2u);
    }
  }
  if (head.y == 0u) {
    x = vec4(1.0, 0.0, 0.0, 0.0);
    y = vec4(0.0, 1.0, 0.0, 0.0);
    z = vec4(0.0, 0.0, 1.0, 0.0);
  }
  uint character = ${listed('character')};
  uint transform = crowdSections.z + character * ${quadsIn(Transform)}u;
  vec4 positionAndScale = crowdFloats(crowdColumns, transform + ${quadOf(Transform, 'position')}u);
  vec4 rotation = crowdFloats(crowdColumns, transform + ${quadOf(Transform, 'rotation')}u);
  vec4 rest = vec4(crowdPosition, 1.0);
  vec3 posed = vec3(dot(x, rest), dot(y, rest), dot(z, rest));
  crowdPosition = crowdTurn(posed * positionAndScale.w, rotation) + positionAndScale.xyz;
  vec3 a = cross(y.xyz, z.xyz), b = cross(z.xyz, x.xyz), c = cross(x.xyz, y.xyz);
  vec3 turned = vec3(dot(a, crowdNormal), dot(b, crowdNormal), dot(c, crowdNormal)) * sign(dot(a, x.xyz));
  crowdNormal = crowdTurn(normalize(turned), rotation);
#ifdef USE_TANGENT
  vec3 along = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
  crowdTangent = vec4(crowdTurn(normalize(along), rotation), tangent.w);
#endif
  crowdAssign(character);
  return true;
}
${isPicked ? 'varying float vCrowdDepth;' : ''}`;
  return wrapped(shader, code, isPicked ? PICKED_DEPTH : '');
}

/** Distance along the camera's axis. A camera without perspective has it in z only. */
const PICKED_DEPTH =
  'vCrowdDepth = projectionMatrix[2][3] != 0.0 ? gl_Position.w : (projectionMatrix[3][2] - gl_Position.z) / projectionMatrix[2][2];';

const MORPH = /* glsl */ `
void crowdMorph(uint slot, uint record) {
  if (record == 0u) return;
  uvec4 targets = crowdTexel(crowdBound, record);
  for (uint i = 0u; i < targets.y; i++) {
    uint index = targets.x + i;
    vec4 weights = crowdFloats(crowdPage, slot + crowdMorphRow + index / 3u);
    uint axis = index % 3u;
    float weight = axis == 0u ? weights.x : axis == 1u ? weights.y : weights.z;
    if (weight == 0.0) continue;
    crowdPosition += weight * crowdFloats(crowdBound, record + 1u + 2u * i).xyz;
    crowdNormal += weight * crowdFloats(crowdBound, record + 2u + 2u * i).xyz;
  }
}`;

/** The same for attachments: a matrix per instance. */
export function carriedVertex(shader: string): string {
  const code = /* glsl */ `${COMMON}
uniform highp usampler2D crowdMatrices;
uniform highp usampler2D crowdInstances;

bool crowdAssemble() {
  uint instance = uint(gl_InstanceID);
  uvec4 pair = crowdTexel(crowdInstances, instance >> 1);
  uvec2 held = (instance & 1u) == 0u ? pair.xy : pair.zw;
  if (held.x == ${NOT_ATTACHED}u) return false;
  uint first = held.x * 4u;
  mat4 matrix = mat4(
    crowdFloats(crowdMatrices, first), crowdFloats(crowdMatrices, first + 1u),
    crowdFloats(crowdMatrices, first + 2u), crowdFloats(crowdMatrices, first + 3u));
  mat3 turn = mat3(matrix);
  crowdPosition = (matrix * vec4(position, 1.0)).xyz;
  crowdNormal = turn * (normal / max(vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])), vec3(1e-30)));
#ifdef USE_TANGENT
  crowdTangent = vec4(turn * tangent.xyz, tangent.w);
#endif
  crowdAssign(held.y);
  return true;
}
`;
  return wrapped(shader, code);
}

/**
 * Puts code before a vertex shader. `crowdAssemble` returns false if nothing is drawn of the instance: its triangles then have no area,
 * and are outside the picture.
 */
function wrapped(shader: string, code: string, ending = ''): string {
  return /* glsl */ `${code}
#define position crowdPosition
#define normal crowdNormal
#define tangent crowdTangent
#define main ${OWN_MAIN}
${shader}
#undef main
void main() {
  if (!crowdAssemble()) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    vCrowdTint = vec4(0.0);
    vCrowdId = 0u;
    return;
  }
  ${OWN_MAIN}();
  ${ending}
}
`;
}

const FRAGMENT = /* glsl */ `
varying vec4 vCrowdTint;
flat varying uint vCrowdId;
`;

/** Multiplies a material's colour and opacity with the tint, where three's chunks have them; in depths only the opacity. */
export function tintedFragment(shader: string): string {
  const [color, alphaTest] = ['#include <color_fragment>', '#include <alphatest_fragment>'];
  const code = shader.includes(color)
    ? shader.replace(color, `${color}\n\tdiffuseColor *= vCrowdTint;`)
    : shader.replace(alphaTest, `diffuseColor.a *= vCrowdTint.a;\n\t${alphaTest}`);
  return `${FRAGMENT}${code}`;
}

/** Fragment shader that has 1 + the character's row, and its distance, instead of a colour. Holes stay holes. */
export function pickedFragment(shader: string): string {
  return /* glsl */ `varying float vCrowdDepth;
#define main ${OWN_MAIN}
${shader}
#undef main
void main() {
  ${OWN_MAIN}();
  gl_FragColor = vec4(float(vCrowdId + 1u), vCrowdDepth, 0.0, 1.0);
}
`;
}

/**
 * Functions that read named columns of the drawn character, `vec4 crowdColumn_heat()`, if code calls any.
 * @param columns Names and sizes, and floats of all columns before each, per row.
 */
export function columnFunctions(
  shader: string,
  columns: readonly { readonly name: string; readonly size: number; readonly before: number }[],
): string {
  if (!shader.includes('crowdColumn_')) return shader;
  const functions = columns.map(({ name, size, before }) => {
    const type = size === 1 ? 'float' : `vec${size}`;
    const floats = Array.from({ length: size }, (_, i) => `crowdFloat(first + ${i}u)`).join(', ');
    return /* glsl */ `${type} crowdColumn_${name.replaceAll(/\W/g, '_')}() {
  uint first = uint(crowdFloat(0u)) * ${before}u + vCrowdId * ${size}u + ${COLUMNS_HEAD}u;
  return ${type}(${floats});
}`;
  });
  // the id is declared in the code before it
  return shader.replace(
    /flat varying uint vCrowdId;/,
    (declared) => /* glsl */ `${declared}
uniform highp usampler2D crowdNamed;
float crowdFloat(uint index) {
  uint texel = index >> 2;
  uvec4 quad = texelFetch(crowdNamed, ivec2(int(texel & ${TEXELS_PER_ROW - 1}u), int(texel >> ${TEXEL_SHIFT}u)), 0);
  return uintBitsToFloat(quad[index & 3u]);
}
${functions.join('\n')}`,
  );
}

function quadsIn(struct: Struct): number {
  return struct.size / 16;
}

function quadOf<F extends Fields>(struct: Struct<F>, field: keyof F & string): number {
  return struct.offsets[field] >> 4;
}

function componentOf<F extends Fields>(struct: Struct<F>, field: keyof F & string): string {
  return 'xyzw'[(struct.offsets[field] >> 2) & 3]!;
}
