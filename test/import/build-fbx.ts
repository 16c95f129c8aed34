import { deflateSync } from 'node:zlib';
import type { CharacterModel } from '../../src/character/model.ts';
import { type FbxOptions, importFbx } from '../../src/import/fbx/import-fbx.ts';

type ArrayType = 'f' | 'd' | 'i' | 'l';
type Value = number | bigint | string | { readonly type: ArrayType; readonly numbers: readonly number[] } | Uint8Array;

/** A record to be written. */
export interface FbxRecord {
  readonly name: string;
  readonly values: readonly Value[];
  readonly children: readonly FbxRecord[];
}

export function record(name: string, values: readonly Value[] = [], children: readonly FbxRecord[] = []): FbxRecord {
  return { name, values, children };
}

export function array(type: ArrayType, numbers: Iterable<number>): Value {
  return { type, numbers: [...numbers] };
}

/** A record of one array or value. */
export const floats = (name: string, numbers: Iterable<number>): FbxRecord => record(name, [array('d', numbers)]);
export const integers = (name: string, numbers: Iterable<number>): FbxRecord => record(name, [array('i', numbers)]);

/** FBX times in a second. */
export const TICKS = 46_186_158_000;

/** Properties of an object, by name. */
export type Properties = Readonly<Record<string, number | readonly number[]>>;

/** Makes FBX files, as text and binary. */
export class FbxBuilder {
  readonly objects: FbxRecord[] = [];
  readonly connections: FbxRecord[] = [];
  settings: Properties = {};
  extra: FbxRecord[] = [];
  #nextId = 100;

  /** Adds an object and returns its identifier. */
  add(kind: string, name: string, subtype: string, children: readonly FbxRecord[] = [], properties: Properties = {}) {
    const id = this.#nextId++;
    const list = Object.entries(properties).map(([property, value]) =>
      record('P', [property, '', '', 'A', ...(typeof value === 'number' ? [value] : value)]),
    );
    const all = list.length > 0 ? [record('Properties70', [], list), ...children] : children;
    this.objects.push(record(kind, [id, `${name}\0\x01${kind}`, subtype], all));
    return id;
  }

  connect(from: number, to: number, property?: string): void {
    this.connections.push(record('C', property === undefined ? ['OO', from, to] : ['OP', from, to, property]));
  }

  model(name: string, subtype: string, properties: Properties = {}, parent = 0): number {
    const id = this.add('Model', name, subtype, [], properties);
    this.connect(id, parent);
    return id;
  }

  /** A mesh of polygons, at a model of its own. */
  mesh(points: readonly number[], polygons: readonly (readonly number[])[], layers: readonly FbxRecord[] = []) {
    const index = polygons.flatMap((corners) =>
      corners.map((point, i) => (i === corners.length - 1 ? -point - 1 : point)),
    );
    const children = [floats('Vertices', points), integers('PolygonVertexIndex', index), ...layers];
    const geometry = this.add('Geometry', 'shape', 'Mesh', children);
    const model = this.model('mesh', 'Mesh');
    this.connect(geometry, model);
    return { geometry, model };
  }

  /** A take with a layer for each entry. */
  take(name: string, start: number, stop: number, layerProperties: readonly Properties[] = [{}]) {
    const span = { LocalStart: start * TICKS, LocalStop: stop * TICKS };
    const stack = this.add('AnimationStack', name, '', [], stop > start ? span : {});
    const layers = layerProperties.map((properties, i) => {
      const layer = this.add('AnimationLayer', `layer${i}`, '', [], properties);
      this.connect(layer, stack);
      return layer;
    });
    return { stack, layers };
  }

  /** Curves of a property: keys [seconds, value] of each component. */
  curves(
    layer: number,
    target: number,
    property: string,
    components: Readonly<Record<string, readonly (readonly [time: number, value: number])[]>>,
    {
      flags = [4],
      data = [0, 0, 0, 0],
    }: { readonly flags?: readonly number[]; readonly data?: readonly number[] } = {},
  ): void {
    const node = this.add('AnimationCurveNode', property, '');
    this.connect(node, layer);
    this.connect(node, target, property);
    for (const [component, keys] of Object.entries(components)) {
      const counts = flags.length === 1 ? [keys.length] : flags.map(() => 1);
      const curve = this.add('AnimationCurve', '', '', [
        record('KeyTime', [
          array(
            'l',
            keys.map(([time]) => Math.round(time * TICKS)),
          ),
        ]),
        record('KeyValueFloat', [
          array(
            'f',
            keys.map(([, value]) => value),
          ),
        ]),
        integers('KeyAttrFlags', flags),
        record('KeyAttrDataFloat', [array('f', data)]),
        integers('KeyAttrRefCount', counts),
      ]);
      this.connect(curve, node, `d|${component}`);
    }
  }

  records(): FbxRecord[] {
    const settings = Object.entries(this.settings).map(([property, value]) =>
      record('P', [property, '', '', '', ...(typeof value === 'number' ? [value] : value)]),
    );
    return [
      record('FBXHeaderExtension', [], [record('FBXVersion', [7400])]),
      record('GlobalSettings', [], [record('Properties70', [], settings)]),
      record('Objects', [], this.objects),
      record('Connections', [], this.connections),
      ...this.extra,
    ];
  }

  text(): Uint8Array {
    return new TextEncoder().encode(
      `; FBX 7.4.0 project file\n${this.records()
        .map((each) => textOf(each, ''))
        .join('')}`,
    );
  }

  binary(version = 7400, isDeflated = false): Uint8Array {
    return binaryOf(this.records(), version, isDeflated);
  }

  async import(options: FbxOptions = {}): Promise<CharacterModel> {
    return importFbx(this.binary(), options);
  }
}

function textOf({ name, values, children }: FbxRecord, indent: string): string {
  const list = values.map((value) => {
    if (typeof value === 'string') {
      const [own, kind] = value.replaceAll('"', '&quot;').split('\0\x01');
      return `"${kind === undefined ? own : `${kind}::${own}`}"`;
    }
    if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
    return typeof value === 'object'
      ? `*${value.numbers.length} {\n${indent}\ta: ${value.numbers.join(',')}\n${indent}}`
      : String(value);
  });
  const body = children.map((child) => textOf(child, `${indent}\t`)).join('');
  return `${indent}${name}: ${list.join(', ')}${children.length > 0 ? ` {\n${body}${indent}}` : ''}\n`;
}

const ARRAYS = { f: Float32Array, d: Float64Array, i: Int32Array, l: BigInt64Array } as const;

/** Writes records as a binary file. */
export function binaryOf(records: readonly FbxRecord[], version: number, isDeflated: boolean): Uint8Array {
  const isWide = version >= 7500;
  const head = Buffer.alloc(27);
  head.write('Kaydara FBX Binary  \0\x1a\0', 'latin1');
  head.writeUInt32LE(version, 23);
  const none = Buffer.alloc(isWide ? 25 : 13);
  const write = (each: FbxRecord, start: number): Buffer => {
    const name = Buffer.from(each.name);
    const values = Buffer.concat(each.values.map((value) => valueBytes(value, isDeflated)));
    const header = Buffer.alloc(none.length);
    let at = start + header.length + name.length + values.length;
    const parts: Uint8Array[] = [header, name, values];
    for (const child of each.children) {
      const bytes = write(child, at);
      at += bytes.length;
      parts.push(bytes);
    }
    if (each.children.length > 0) {
      parts.push(none);
      at += none.length;
    }
    [at, each.values.length, values.length].forEach((size, field) => {
      if (isWide) header.writeBigUInt64LE(BigInt(size), 8 * field);
      else header.writeUInt32LE(size, 4 * field);
    });
    header[none.length - 1] = name.length;
    return Buffer.concat(parts);
  };
  const parts: Uint8Array[] = [head];
  let at = head.length;
  for (const each of records) {
    const bytes = write(each, at);
    at += bytes.length;
    parts.push(bytes);
  }
  return new Uint8Array(Buffer.concat([...parts, none]));
}

function valueBytes(value: Value, isDeflated: boolean): Buffer {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const out = Buffer.alloc(9);
    const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value);
    out.write(isInteger ? 'L' : 'D');
    if (isInteger) out.writeBigInt64LE(BigInt(value), 1);
    else out.writeDoubleLE(value, 1);
    return out;
  }
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = Buffer.from(value as string);
    const head = Buffer.alloc(5);
    head.write(typeof value === 'string' ? 'S' : 'R');
    head.writeUInt32LE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  }
  const { type, numbers } = value;
  const list = type === 'l' ? BigInt64Array.from(numbers, BigInt) : new ARRAYS[type](numbers);
  const raw = Buffer.from(list.buffer);
  const bytes = isDeflated ? deflateSync(raw) : raw;
  const head = Buffer.alloc(13);
  head.write(type);
  head.writeUInt32LE(numbers.length, 1);
  head.writeUInt32LE(isDeflated ? 1 : 0, 5);
  head.writeUInt32LE(bytes.length, 9);
  return Buffer.concat([head, bytes]);
}
