import type { Crowd } from '../../crowd/crowd.ts';
import { expectFunction, expectList, expectObject, refuseArgument } from '../../crowd/arguments.ts';
import { error, fail, listed, ManipleError, quoted, shortened, type Issue } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { COLUMNS_HEAD, floatsBefore } from '../../frame/named-columns.ts';
import { boundGroup, createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { namesOf, namesUsed } from '../../stages/declarations.ts';
import { changedMaterialBindings, type materialBindings } from '../materials/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { columnFunction, COLUMNS_NAME, namedColumnCode } from '../named-column-code.ts';
import type { Surface } from './shade.ts';

/**
 * What an application makes of the surfaces of characters, before light falls on them: colours by named columns, say. Where they are
 * does not change, holes of masks included.
 *
 * @example
 *   const surface = {
 *     columns: ['heat'],
 *     code: `fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface {
 *       var changed = surface;
 *       changed.emissive += heatColumn(site.character) * vec3f(1.0, 0.3, 0.1);
 *       return changed;
 *     }`,
 *   };
 */
export interface SurfaceChange {
  /** Named columns that the code reads: `heatColumn(site.character)`, an f32 or a vector by the column's size. Default: none. */
  readonly columns?: readonly string[];
  /**
   * WGSL with `fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface`, run for every pixel that shows a character.
   * - `SurfaceSite`: `character` (its row), `primitive` (index among those of its type), `texcoord` (vec2f, the first set);
   * - `LitSurface`: `world` (metres from the crowd's origin), `normal`, `shadingNormal` (with the normal map), `baseColor` (linear, with
   *   texture, vertex colour and tint), `metallic`, `roughness`, `emissive`, `occlusion`, `unlit` (bool).
   *
   * It has no derivatives and no bindings of its own.
   */
  readonly code: string;
  /** The same in TypeScript, for `createReferenceRenderer`. */
  readonly twin?: (site: SurfaceSite, surface: Surface) => Surface;
}

/** Where a surface is changed: as the WGSL struct of that name. */
export interface SurfaceSite {
  readonly character: number;
  readonly primitive: number;
  readonly texcoord: readonly [number, number];
  /** Floats that the character has in a column. */
  readonly column: (name: string) => readonly number[];
}

/** The function whose place the application's code takes. */
const PLACE = 'changedSurface';
/** The function of the application. */
const FUNCTION = 'changeSurface';
const SIGNATURE = `fn ${FUNCTION}(site: SurfaceSite, surface: LitSurface) -> LitSurface`;
/** Where shaders have named columns: after the materials. */
const BINDING = {
  group: changedMaterialBindings.group,
  binding: Object.keys(changedMaterialBindings.entries).indexOf(COLUMNS_NAME),
};
const LABEL = 'materials and columns';
type BoundMaterials = { readonly resources: Readonly<Record<keyof typeof materialBindings.entries, GPUTextureView>> };
const OWN_NAMES = [COLUMNS_NAME, PLACE];

/** Shaders that change surfaces, and group 3 of their pipelines: materials, and named columns after them. */
export class ChangedSurfaces {
  readonly layout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #change: SurfaceChange;
  readonly #materials: MaterialTable;
  readonly #groups = new WeakMap<GPUBuffer, GPUBindGroup>();

  /** @param visibility Stages that shade. @throws ManipleError CROWD_BAD_ARGUMENT: not a change, or no such column */
  constructor(
    device: GPUDevice,
    crowd: Crowd,
    change: SurfaceChange,
    { materials, visibility }: { readonly materials: MaterialTable; readonly visibility: GPUFlagsConstant },
  ) {
    expectChange(crowd, change);
    this.#device = device;
    this.#crowd = crowd;
    this.#change = change;
    this.#materials = materials;
    this.layout = this.#reads
      ? createBindGroupLayout(device, LABEL, changedMaterialBindings, visibility)
      : materials.layout;
  }

  get #reads(): boolean {
    return this.#names.length > 0;
  }

  get #names(): readonly string[] {
    return this.#change.columns ?? [];
  }

  /** Group 3 of a picture of that memory. */
  group({ columns }: DrawnMemory): GPUBindGroup {
    if (!this.#reads) return this.#materials.group;
    const buffer = columns ?? this.#crowd.backend.columns.buffer!;
    const group = this.#groups.get(buffer) ?? this.#bind(buffer);
    this.#groups.set(buffer, group);
    return group;
  }

  #bind(namedColumns: GPUBuffer): GPUBindGroup {
    const { resources } = boundGroup(this.#materials.group)! as BoundMaterials;
    return createBindGroup(this.#device, LABEL, this.layout, changedMaterialBindings, { ...resources, namedColumns });
  }

  /** A shader of the variant `changed`, with the application's code in its place. Its other lines stay where they are. */
  link(shader: string): string {
    return this.#linked(shader).code;
  }

  /**
   * Whether the application's code is right, as the compiler of a shader sees it.
   * @param taken Names of other code that is linked with it. @throws ManipleError SURFACE_INVALID, with the line of the code
   */
  async check(shader: string, taken: readonly string[] = []): Promise<void> {
    const issues = [...nameIssues(this.#change, [...namesUsed(shader), ...OWN_NAMES, ...taken])];
    if (issues.length === 0) issues.push(...(await compilerIssues(this.#device, this.#linked(shader), this.#change)));
    if (issues.length > 0) throw new ManipleError(issues);
  }

  #linked(shader: string): LinkedChange {
    const place = shader.split('\n').find((line) => line.startsWith(`fn ${PLACE}(`));
    if (place === undefined) throw new Error(`the shader has no place ${PLACE}`);
    const reading = this.#reads ? namedColumnCode(this.#crowd.host.named.list, this.#names, BINDING) : '';
    const call = `fn ${PLACE}(site: SurfaceSite, surface: LitSurface) -> LitSurface {
  if (site.character == 0xffffffffu) { return surface; }
  return ${FUNCTION}(site, surface);
}`;
    const own = [shader.replace(place, ''), reading, call].join('\n');
    return { code: `${own}\n${this.#change.code}\n`, firstLine: own.split('\n').length + 1 };
  }
}

/** The twin of a change, for a crowd whose columns are in host memory. @throws ManipleError CROWD_BAD_ARGUMENT, SURFACE_INVALID */
export function changeTwin(crowd: Crowd, change: SurfaceChange): NonNullable<SurfaceChange['twin']> {
  expectChange(crowd, change);
  const { twin } = change;
  if (!twin) fail('SURFACE_INVALID', 'surface', 'It has no twin, and the CPU runs no WGSL.', 'Give it one: `twin`.');
  return twin;
}

/** Floats of one character in a named column, as the last frame left them. @throws ManipleError CROWD_BAD_ARGUMENT */
export function columnReader({ host, backend }: Crowd, { columns = [] }: SurfaceChange) {
  const { floats } = backend.columns;
  const places = new Map(
    host.named.list.map(({ name, size }, index) => [name, { size, before: floatsBefore(host.named.list, index) }]),
  );
  return (name: string, character: number): readonly number[] => {
    const place = columns.includes(name) ? places.get(name) : undefined;
    if (!place || !floats)
      return fail(
        'CROWD_BAD_ARGUMENT',
        'surface',
        `Its twin reads the column ${quoted(name)}.`,
        `Name it in \`columns\`.`,
      );
    const first = COLUMNS_HEAD + floats[0]! * place.before + character * place.size;
    return Array.from(floats.subarray(first, first + place.size));
  };
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
function expectChange({ host }: Crowd, change: SurfaceChange): void {
  expectObject('surface', change);
  const { code, columns = [], twin } = change;
  if (typeof code !== 'string') refuseArgument('surface.code', code, 'WGSL');
  if (twin !== undefined) expectFunction('surface.twin', twin);
  expectList('surface.columns', columns);
  const unknown = columns.find((name) => !host.named.find(name));
  if (unknown === undefined) return;
  const names = host.named.list.map(({ name }) => name);
  const suggestion = names.length > 0 ? `It has ${listed(names)}.` : `Make it first: crowd.column(name, { size: 1 }).`;
  fail('CROWD_BAD_ARGUMENT', 'surface.columns', `The crowd has no column ${quoted(unknown)}.`, suggestion);
}

function nameIssues({ code, columns = [] }: SurfaceChange, taken: readonly string[]): Issue[] {
  const declared = namesOf(code);
  const isTaken = new Set([...taken, ...columns.map(columnFunction)]);
  const invalid = (message: string, suggestion: string) => error('SURFACE_INVALID', 'surface', message, suggestion);
  return [
    ...(declared.includes(FUNCTION) ? [] : [invalid(`The code declares no function "${FUNCTION}".`, SIGNATURE)]),
    ...declared.filter((name) => isTaken.has(name)).map((name) => invalid(`"${name}" is taken.`, 'Rename it.')),
  ];
}

interface LinkedChange {
  readonly code: string;
  /** Line of it, from 1 on, where the application's code begins. */
  readonly firstLine: number;
}

async function compilerIssues(device: GPUDevice, linked: LinkedChange, { code }: SurfaceChange): Promise<Issue[]> {
  device.pushErrorScope('validation'); // told by the issues
  const module = device.createShaderModule({ label: 'change of surfaces', code: linked.code });
  const [{ messages }] = await Promise.all([module.getCompilationInfo(), device.popErrorScope()]);
  const lines = code.split('\n');
  return messages
    .filter(({ type }) => type === 'error')
    .map(({ message, lineNum, linePos }) => {
      const line = lineNum - linked.firstLine + 1;
      const source = lines[line - 1];
      if (source === undefined) return error('SURFACE_INVALID', 'surface', message, SIGNATURE);
      return error('SURFACE_INVALID', `surface:${line}:${linePos}`, `${message}: ${shortened(source.trim())}`);
    });
}
