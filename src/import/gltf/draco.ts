import type { GLTF } from '@gltf-transform/core';
import type { Elements, TypedArray } from './accessors.ts';
import { dracoTriangleCount } from './draco-header.ts';
import type { GltfJson } from './file.ts';
import { type IssueList, pointer, refuse } from './issue-list.ts';
import { TYPE_WIDTH } from './layout.ts';
import { type CheckedGltf, extensionOf } from './schema.ts';
import { isObject } from './shape.ts';

interface DracoPrimitive {
  readonly path: string;
  readonly definition: GLTF.IMeshPrimitive;
  readonly bufferView: number;
  readonly attributes: Record<string, number>;
}

/** Makes a `draco3dgltf` decoder module. */
export type DracoModule = () => Promise<unknown>;

/** What the decoder's heap holds before it decodes anything, with room for its stack of small things. */
const BASE_HEAP_BYTES = 32 * 2 ** 20;
const PAGE_BYTES = 65_536;

/**
 * The accessors of every primitive under KHR_draco_mesh_compression, decoded by glTF-Transform's extension from a
 * document that holds nothing else. @throws ManipleError GLTF_DECODE_FAILED, GLTF_INVALID or GLTF_LIMIT
 */
export async function decodeDraco(
  { json, limits, issues }: GltfJson,
  viewBytes: (viewIndex: number) => Uint8Array,
  createModule: DracoModule,
): Promise<Map<number, Elements>> {
  const primitives = dracoPrimitives(json);
  if (primitives.length > limits.meshes) {
    const message = `${primitives.length} primitives are Draco-compressed, the limit is ${limits.meshes}`;
    refuse('GLTF_LIMIT', '/meshes', message);
  }
  let triangles = 0;
  for (const primitive of primitives) {
    triangles += checkPrimitive(primitive, viewBytes(primitive.bufferView), json.accessors ?? [], issues);
  }
  if (triangles > limits.triangles) {
    issues.error('GLTF_LIMIT', '/meshes', `Draco data holds ${triangles} triangles, the limit is ${limits.triangles}`);
  }
  issues.throwIfErrors();
  if (primitives.length === 0) return new Map();

  const [{ WebIO, Logger }, { KHRDracoMeshCompression }, module] = await Promise.all([
    import('@gltf-transform/core'),
    import('@gltf-transform/extensions'),
    createModule(),
  ]);
  const heapBytes = BASE_HEAP_BYTES + limits.decodedBytes;
  limitHeap(module, heapBytes);
  const io = new WebIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions([KHRDracoMeshCompression])
    .registerDependencies({ 'draco3d.decoder': module });
  const { document: miniature, sources } = miniatureOf(json, primitives, viewBytes);
  const document = await io.readJSON(miniature).catch((thrown: unknown) => {
    const message = `the Draco data is damaged, or unfolds into more than ${heapBytes} bytes (${String(thrown)})`;
    return refuse('GLTF_DECODE_FAILED', primitives[0]!.path, message);
  });

  const decoded = new Map<number, Elements>();
  document.getRoot().listAccessors().forEach((accessor, i) => {
    const source = sources[i]!;
    const { type, count } = json.accessors![source]!;
    const width = TYPE_WIDTH[type];
    const values = accessor.getArray() as TypedArray | null;
    if (values?.length !== width * count) {
      const message = `Draco: ${values?.length ?? 0} numbers, the accessor declares ${count} × ${width}`;
      refuse('GLTF_DECODE_FAILED', pointer('accessors', source), message);
    }
    decoded.set(source, { values, width, count, normalized: accessor.getNormalized() });
  }); // prettier-ignore
  return decoded;
}

/**
 * Keeps the decoder from growing its heap past `bytes`: a small file can declare hundreds of attributes that cost
 * nothing but memory and time, and how many is known only while they are decoded. Decoding then fails.
 */
function limitHeap(module: unknown, bytes: number): void {
  const exported = isObject(module) && isObject(module.asm) ? Object.values(module.asm) : [];
  const memory = exported.find((each) => each instanceof WebAssembly.Memory);
  if (!memory) return;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > bytes) throw new RangeError('the heap may not grow further');
    return grow(pages);
  };
}

function dracoPrimitives(json: CheckedGltf): DracoPrimitive[] {
  return (json.meshes ?? []).flatMap((mesh, m) =>
    mesh.primitives.flatMap((definition, p) => {
      const extension = extensionOf(definition, 'KHR_draco_mesh_compression') as
        { bufferView: number; attributes: Record<string, number> } | undefined;
      return extension ? [{ path: pointer('meshes', m, 'primitives', p), definition, ...extension }] : [];
    }),
  );
}

/** Returns how many triangles the data holds. */
function checkPrimitive(
  { path, definition, attributes }: DracoPrimitive,
  data: Uint8Array,
  accessors: readonly GLTF.IAccessor[],
  issues: IssueList,
): number {
  for (const semantic of Object.keys(attributes)) {
    if (definition.attributes[semantic] === undefined) {
      issues.error('GLTF_INVALID', path, `Draco compresses ${semantic}, which is not an attribute of the primitive`);
    }
  }
  const triangles = dracoTriangleCount(data);
  const counted = definition.indices ?? definition.attributes.POSITION;
  const declared = counted === undefined ? 0 : Math.ceil(accessors[counted]!.count / 3);
  if (triangles === undefined) {
    issues.error('GLTF_DECODE_FAILED', path, 'the Draco data is not a mesh of bitstream version 2.2');
  } else if (triangles > declared) {
    issues.error('GLTF_INVALID', path, `the Draco data holds ${triangles} triangles, ${declared} are declared`);
  }
  return triangles ?? 0;
}

/** A document with the compressed primitives alone, and for each of its accessors the file's own index. */
function miniatureOf(
  json: CheckedGltf,
  primitives: readonly DracoPrimitive[],
  viewBytes: (viewIndex: number) => Uint8Array,
): { document: { json: GLTF.IGLTF; resources: Record<string, Uint8Array<ArrayBuffer>> }; sources: number[] } {
  const sources: number[] = [];
  const accessorOf = new Map<number, number>();
  const renumber = (source: number): number => {
    const known = accessorOf.get(source);
    if (known !== undefined) return known;
    accessorOf.set(source, sources.length);
    return sources.push(source) - 1;
  };
  const views = [...new Set(primitives.map((primitive) => primitive.bufferView))];
  const numberOfView = new Map(views.map((view, i) => [view, i]));
  const bytes = views.map((view) => viewBytes(view).slice());
  const document: GLTF.IGLTF = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_draco_mesh_compression'],
    buffers: bytes.map((data, i) => ({ uri: `${i}.bin`, byteLength: data.byteLength })),
    bufferViews: bytes.map((data, i) => ({ buffer: i, byteLength: data.byteLength })),
    meshes: primitives.map(({ definition, bufferView, attributes }) => ({
      primitives: [
        {
          attributes: Object.fromEntries(
            Object.keys(attributes).map((semantic) => [semantic, renumber(definition.attributes[semantic]!)]),
          ),
          ...(definition.indices === undefined ? {} : { indices: renumber(definition.indices) }),
          extensions: { KHR_draco_mesh_compression: { bufferView: numberOfView.get(bufferView)!, attributes } },
        },
      ],
    })),
  };
  document.accessors = sources.map((source) => {
    const { componentType, type, count, normalized } = json.accessors![source]!;
    return { componentType, type, count, ...(normalized === undefined ? {} : { normalized }) };
  });
  const resources = Object.fromEntries(bytes.map((data, i) => [`${i}.bin`, data]));
  return { document: { json: document, resources }, sources };
}
