import type { Crowd } from '../../crowd/crowd.ts';
import { error, ManipleError, shortened, type Issue, quoted } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { namesOf, namesUsed } from '../../stages/declarations.ts';
import { kernels as shadeCode } from '../visibility/shade-pixels/changed.gen.ts';
import { kernels as drawCode } from '../forward/draw-changed.gen.ts';
import { changedMaterialBindings } from '../materials/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { columnFunction, COLUMNS_NAME, namedColumnCode } from '../named-column-code.ts';
import { expectChange, type SurfaceChange } from './surface-change.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** The function that the application's code replaces. */
const PLACE = 'changedSurface';
const PLACE_TEXT = /^fn changedSurface\([^]*?\}$/m;
/** The application's function. */
const FUNCTION = 'changeSurface';
const SIGNATURE = `fn ${FUNCTION}(site: SurfaceSite, surface: LitSurface) -> LitSurface`;
/** Binding of the named columns in shaders: after the materials. */
const BINDING = {
  group: changedMaterialBindings.group,
  binding: Object.keys(changedMaterialBindings.entries).indexOf(COLUMNS_NAME),
};
const LABEL = 'materials and columns';
const OWN_NAMES = [COLUMNS_NAME, PLACE];

/** Shaders that change surfaces, and group 3 of their pipelines: materials, and named columns after them. */
export class ChangedSurfaces {
  readonly layout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #change: SurfaceChange;
  /** Named columns that the code reads. */
  readonly #names: readonly string[];
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
    this.#names = change.columns ?? [];
    this.#materials = materials;
    this.layout =
      this.#names.length > 0
        ? createBindGroupLayout(device, LABEL, changedMaterialBindings, visibility)
        : materials.layout;
  }

  /** Group 3 for pictures of that memory. */
  group({ columns }: DrawnMemory): GPUBindGroup {
    if (this.#names.length === 0) return this.#materials.group;
    const buffer = columns ?? internalsOf(this.#crowd).host.backend.columns.buffer!;
    const group = this.#groups.get(buffer) ?? this.#bind(buffer);
    this.#groups.set(buffer, group);
    return group;
  }

  #bind(namedColumns: GPUBuffer): GPUBindGroup {
    const resources = { ...this.#materials.resources, namedColumns };
    return createBindGroup(this.#device, LABEL, this.layout, changedMaterialBindings, resources);
  }

  /** Shaders that draw surfaces, by variant; the application's code is not linked yet. */
  readonly draws = drawCode;

  shadePixels(variant: keyof typeof shadeCode): string {
    return this.link(shadeCode[variant]);
  }

  /** Links the application's code into a shader. The shader's other lines keep their numbers. */
  link(shader: string): string {
    return this.#linked(shader).code;
  }

  /**
   * Checks the application's code with the compiler of one of the shaders.
   * @param taken Names that other linked code uses.
   * @throws ManipleError SURFACE_INVALID, with the line of the code
   */
  async check(use: 'draws' | 'shadePixels', taken: readonly string[] = []): Promise<void> {
    const shader = use === 'draws' ? drawCode.base : shadeCode.base;
    const issues = [...nameIssues(this.#change, [...namesUsed(shader), ...OWN_NAMES, ...taken])];
    if (issues.length === 0) issues.push(...(await compilerIssues(this.#device, this.#linked(shader), this.#change)));
    if (issues.length > 0) throw new ManipleError(issues);
  }

  #linked(shader: string): LinkedChange {
    if (!PLACE_TEXT.test(shader)) throw new Error(`the shader has no place ${PLACE}`);
    const reading =
      this.#names.length > 0 ? namedColumnCode(internalsOf(this.#crowd).host.named.list, this.#names, BINDING) : '';
    const call = `fn ${PLACE}(site: SurfaceSite, surface: LitSurface) -> LitSurface {
  if (site.character == 0xffffffffu) { return surface; }
  return ${FUNCTION}(site, surface);
}`;
    const own = [shader.replace(PLACE_TEXT, (text) => text.replace(/./g, '')), reading, call].join('\n');
    return { code: `${own}\n${this.#change.code}\n`, firstLine: own.split('\n').length + 1 };
  }
}

function nameIssues({ code, columns = [] }: SurfaceChange, taken: readonly string[]): Issue[] {
  const declared = namesOf(code);
  const isTaken = new Set([...taken, ...columns.map(columnFunction)]);
  const invalid = (message: string, suggestion: string) => error('SURFACE_INVALID', 'surface', message, suggestion);
  return [
    ...(declared.includes(FUNCTION) ? [] : [invalid(`The code declares no function "${FUNCTION}".`, SIGNATURE)]),
    ...declared.filter((name) => isTaken.has(name)).map((name) => invalid(`${quoted(name)} is taken.`, 'Rename it.')),
  ];
}

interface LinkedChange {
  readonly code: string;
  /** Line of it, from 1 on, where the application's code begins. */
  readonly firstLine: number;
}

async function compilerIssues(device: GPUDevice, linked: LinkedChange, { code }: SurfaceChange): Promise<Issue[]> {
  device.pushErrorScope('validation'); // compilation messages say more
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
