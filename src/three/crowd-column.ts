import {
  Node,
  type NodeBuilder,
  type NodeFrame,
  type Object3D,
  type Renderer,
  type StorageBufferAttribute,
  type WebGPURenderer,
} from 'three/webgpu';
import { float, storage, uint, vec2, vec3, vec4 } from 'three/tsl';
import type { Crowd } from '../crowd/crowd.ts';
import { error, fail, listed, ManipleError, quoted } from '../errors.ts';
import { COLUMNS_HEAD, floatsBefore } from '../frame/tables/named-columns.ts';
import { crowdId } from './crowd-nodes.ts';
import { release, sharedStorage } from './internals.ts';
import { columnTexture, deviceColumns } from './textures/column-texture.ts';
import { asFloat, component, quadsOf } from './rows.ts';
import { reportProblem } from './problems.ts';
import { internalsOf } from '../crowd/internals.ts';

/** Node types by column size. */
const TYPES = ['float', 'vec2', 'vec3', 'vec4'] as const;
export type ColumnType = (typeof TYPES)[number];
const JOINS = [float, vec2, vec3, vec4] as unknown as readonly ((...values: readonly Node[]) => Node)[];

/**
 * Floats of the drawn character in a column (`crowd.column('heat', { size: 4 })`), for every node of a material. The type follows
 * the column size: float, vec2, vec3 or vec4. Works in any number of crowds that have such a column, and in attachments of their
 * characters. Takes one storage buffer of the stage that reads it, however many columns are read.
 *
 * The column must exist when the material is first drawn. If it is missing or has another size, the node is 0. The crowd reports
 * this in its `error` event, or in the console if the event has no listener. After creating the column, assign a new node.
 *
 * `type` is the column's type, for TypeScript; 'float' by default.
 *
 * @throws ManipleError in three.js, which logs it: THREE_UNSUPPORTED (a mesh without a crowd)
 * @example material.colorNode = mix(texture(map), crowdColumn('heat', 'vec4'), 0.5);
 */
export function crowdColumn(name: string): Node<'float'>;
export function crowdColumn<T extends ColumnType>(name: string, type: T): Node<T>;
export function crowdColumn(name: string, type?: ColumnType): Node {
  return new CrowdColumnNode(name, type);
}

class CrowdColumnNode extends Node {
  readonly #name: string;
  readonly #type: ColumnType | undefined;

  static get type(): string {
    return 'CrowdColumnNode';
  }

  constructor(name: string, type?: ColumnType) {
    super();
    this.#name = name;
    this.#type = type;
  }

  override getNodeType(builder: NodeBuilder): string {
    return TYPES[(this.#placeIn(builder.object)?.size ?? this.#size) - 1]!;
  }

  override setup(builder: NodeBuilder): Node {
    const place = this.#placeIn(builder.object);
    if (!place) return JOINS[this.#size - 1]!(...Array.from({ length: this.#size }, () => float(0)));
    const { size, before } = place;
    const floatAt = this.#floats(builder);
    const rowCount = uint(floatAt(uint(0)));
    const first = rowCount
      .mul(uint(before))
      .add(crowdId.mul(uint(size)))
      .add(uint(COLUMNS_HEAD))
      .toVar();
    const components = Array.from({ length: size }, (_, i) => floatAt(first.add(uint(i))));
    return JOINS[size - 1]!(...components);
  }

  /** Reads the floats of all columns. */
  #floats(builder: NodeBuilder): (index: Node<'uint'>) => Node<'float'> {
    const crowd = crowdOf(builder.object);
    const copied = deviceColumns.get(crowd);
    if (copied || !internalsOf(crowd).host.backend.columns.buffer) {
      const quads = quadsOf(copied?.() ?? columnTexture(crowd).table);
      return (index) => asFloat(component(quads(index.shiftRight(uint(2))).toVar(), index.bitAnd(uint(3)).toVar()));
    }
    const attributeOf = ({ object, renderer }: { object: Object3D | null; renderer: Renderer | null }) =>
      columnsOf(crowdOf(object), renderer as WebGPURenderer);
    const floats = storage(attributeOf(builder), 'float', 0).toReadOnly();
    // new columns and growing crowds change the buffer
    floats.onObjectUpdate((frame: NodeFrame) => attributeOf(frame) as never);
    return (index) => floats.element(index) as unknown as Node<'float'>;
  }

  /** Number of floats that the material reads, independent of the column. */
  get #size(): number {
    return this.#type === undefined ? 1 : TYPES.indexOf(this.#type) + 1;
  }

  /** Location of the column. Undefined if it cannot be read; this reports the reason to the crowd. */
  #placeIn(object: Object3D | null): { readonly size: number; readonly before: number } | undefined {
    const { list } = internalsOf(crowdOf(object)).host.named;
    const index = list.findIndex(({ name }) => name === this.#name);
    const size = list[index]?.size;
    const report = (message: string, suggestion: string) =>
      reportProblem(object, new ManipleError(error('CROWD_BAD_ARGUMENT', 'crowdColumn', message, suggestion)));
    if (size === undefined) {
      const others = list.length > 0 ? ` It has ${listed(list.map(({ name }) => name))}.` : '';
      const make = `Before the material is drawn, call crowd.column(${quoted(this.#name)}, { size: ${this.#size} }).`;
      report(`The crowd has no column ${quoted(this.#name)}.${others}`, make);
      return undefined;
    }
    if (this.#type === undefined || this.#type === TYPES[size - 1]) return { size, before: floatsBefore(list, index) };
    const message = `The column ${quoted(this.#name)} has ${size} floats; it cannot be read as ${this.#type}.`;
    report(message, `Read it as ${TYPES[size - 1]}.`);
    return undefined;
  }
}

/** The crowd of an object's parent. @throws ManipleError THREE_UNSUPPORTED */
function crowdOf(object: Object3D | null): Crowd {
  const { core } = (object?.parent ?? {}) as { readonly core?: Crowd };
  return (
    core ??
    fail('THREE_UNSUPPORTED', 'crowdColumn', 'The mesh is not part of a crowd.', 'Use it in materials of crowds.')
  );
}

interface SharedColumns {
  readonly buffer: GPUBuffer;
  readonly attribute: StorageBufferAttribute;
}

const shared = new WeakMap<WebGPURenderer, WeakMap<Crowd, SharedColumns>>();

/** Attribute of a crowd's columns in a renderer. Releases the previous one if the buffer has changed. */
function columnsOf(crowd: Crowd, renderer: WebGPURenderer): StorageBufferAttribute {
  const ofRenderer = shared.get(renderer) ?? new WeakMap<Crowd, SharedColumns>();
  shared.set(renderer, ofRenderer);
  const known = ofRenderer.get(crowd);
  const buffer = internalsOf(crowd).host.backend.columns.buffer!;
  if (known?.buffer === buffer) return known.attribute;
  if (known) release(renderer, known.attribute);
  const attribute = sharedStorage(renderer, buffer, 1);
  ofRenderer.set(crowd, { buffer, attribute });
  return attribute;
}

/** Releases a renderer's attribute of a crowd's columns until the next draw. */
export function releaseColumns(renderer: WebGPURenderer, crowd: Crowd): void {
  const known = shared.get(renderer)?.get(crowd);
  if (!known) return;
  release(renderer, known.attribute);
  shared.get(renderer)!.delete(crowd);
}
