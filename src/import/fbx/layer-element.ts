import { quoted } from '../../errors.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import type { FbxNode } from './node.ts';

/** Numbers of the polygons and corners that an element of a layer may be mapped to. */
export interface Corners {
  readonly count: number;
  /** The control point and the polygon of each corner. */
  readonly pointOf: Uint32Array;
  readonly polygonOf: Uint32Array;
}

/** Where in a geometry an element is. */
interface ElementNames {
  /** As `LayerElementNormal`, with values in `Normals` and numbers of them in `NormalsIndex`. */
  readonly element: string;
  readonly values: string;
  readonly index: string;
  readonly width: number;
}

export const NORMALS: ElementNames = {
  element: 'LayerElementNormal',
  values: 'Normals',
  index: 'NormalsIndex',
  width: 3,
};
export const TANGENTS: ElementNames = {
  element: 'LayerElementTangent',
  values: 'Tangents',
  index: 'TangentsIndex',
  width: 3,
};
export const BINORMALS: ElementNames = {
  element: 'LayerElementBinormal',
  values: 'Binormals',
  index: 'BinormalsIndex',
  width: 3,
};
export const TEXCOORDS: ElementNames = { element: 'LayerElementUV', values: 'UV', index: 'UVIndex', width: 2 };
export const COLORS: ElementNames = {
  element: 'LayerElementColor',
  values: 'Colors',
  index: 'ColorIndex',
  width: 4,
};

/**
 * The values of the first element of a kind, for each corner: mapped by corner, control point, polygon or to all, directly
 * or by an index. Undefined without one that can be used; a broken one is an issue.
 */
export function readElement(
  { issues }: FbxDocument,
  geometry: FbxObject,
  names: ElementNames,
  corners: Corners,
): Float32Array | undefined {
  const elements = geometry.node.childrenNamed(names.element);
  const [element] = elements;
  if (!element) return undefined;
  if (elements.length > 1) {
    const message = `${elements.length} sets of ${names.element}; only the first is used`;
    issues.info('FBX_IGNORED', geometry.place, message);
  }
  const place = `${geometry.place}/${names.element}`;
  const values = element.numbers(names.values);
  const itemOf = indexOf(element, names, corners);
  if (typeof itemOf === 'string') {
    issues.warn('GLTF_ATTRIBUTE_IGNORED', place, itemOf);
    return undefined;
  }
  const { width } = names;
  const count = Math.floor(values.length / width);
  const out = new Float32Array(width * corners.count);
  let missing = 0;
  for (let corner = 0; corner < corners.count; corner++) {
    const item = itemOf(corner);
    if (!(item >= 0 && item < count)) missing++;
    else for (let c = 0; c < width; c++) out[width * corner + c] = values[width * item + c]!;
  }
  if (missing > 0) {
    const message = `${missing} of ${corners.count} corners have no value; taken as 0`;
    issues.warn('GLTF_VALUES_REPAIRED', place, message);
  }
  return out;
}

/** The number of each corner's value, or the reason of a failure. */
function indexOf(element: FbxNode, names: ElementNames, corners: Corners): ((corner: number) => number) | string {
  const mapped = mappingOf(element.childText('MappingInformationType'), corners);
  if (typeof mapped === 'string') return mapped;
  const reference = element.childText('ReferenceInformationType');
  if (reference === 'Direct') return mapped;
  if (reference !== 'IndexToDirect' && reference !== 'Index') return `the reference ${quoted(reference)} is not known`;
  // some exporters say IndexToDirect and have no index
  if (!element.child(names.index)) return mapped;
  const index = element.numbers(names.index);
  return (corner) => index[mapped(corner)] ?? -1;
}

/** The number that a mapping gives each corner, or the reason why it cannot. */
export function mappingOf(mapping: string | undefined, corners: Corners): ((corner: number) => number) | string {
  switch (mapping) {
    case 'ByPolygonVertex':
      return (corner) => corner;
    case 'ByVertice':
    case 'ByVertex':
      return (corner) => corners.pointOf[corner]!;
    case 'ByPolygon':
      return (corner) => corners.polygonOf[corner]!;
    case 'AllSame':
      return () => 0;
    default:
      return `the mapping ${quoted(mapping)} is not known`;
  }
}
