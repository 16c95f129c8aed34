import { describe, flag, oneOf } from '../../forms/rules.ts';
import { type IssueList, quote } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import {
  type Fields,
  fieldsOf,
  isNew,
  isOver,
  type Item,
  itemsOf,
  nameRule,
  number,
  optionalOf,
  read,
  refuse,
  requiredOf,
} from './fields.ts';
import { type Graph, GRAPH_LIMITS, type GraphChild, type GraphTree } from './graph.ts';

/** A blend tree and those inside it, at most four deep. */
export function readTree(
  value: unknown,
  path: string,
  name: string,
  issues: IssueList,
  parameters: Graph['parameters'],
  depth = 1,
): GraphTree | undefined {
  if (isOver(issues, path, depth, GRAPH_LIMITS.treeDepth, 'levels of trees')) return undefined;
  const fields = fieldsOf(value, path, issues);
  const type = fields && requiredOf(fields, 'type', oneOf('1D', '2D_DIRECTIONAL', '2D_CARTESIAN', 'DIRECT'));
  if (!fields || type === undefined) return undefined;
  const items = itemsOf(fields, 'children', GRAPH_LIMITS.children);
  if (items.length === 0) refuse(issues, `${path}/children`, 'A blend tree needs children.');
  const names = new Set<string>();
  const children: GraphChild[] = [];
  for (const item of items) {
    const child = readChild(item, type, issues, parameters, depth);
    if (child === undefined || !isNew(names, child.name, `${item.path}/name`, issues)) continue;
    names.add(child.name);
    children.push(child);
  }
  const needed = type === 'DIRECT' ? items.length : type === '1D' ? 1 : 2;
  const used = readParameterNames(fields, needed, parameters);
  return { path, name, type, parameters: used, isSynced: optionalOf(fields, 'syncAnimations', flag) ?? true, children };
}

function readParameterNames(tree: Fields, needed: number, parameters: Graph['parameters']): string[] {
  const { object, path, issues } = tree;
  const items: Item[] = object.parameter
    ? [{ key: '0', value: object.parameter, path: `${path}/parameter` }]
    : itemsOf(tree, 'parameters', GRAPH_LIMITS.children);
  if (items.length < needed) {
    refuse(issues, path, `The tree names ${items.length} parameters; it needs ${needed}.`);
  }
  return items.slice(0, needed).flatMap((item) => {
    const name = read(nameRule, item.value, item.path, issues);
    if (name === undefined) return [];
    const type = parameters.get(name)?.type;
    if (type === 'FLOAT' || type === 'INTEGER') return [name];
    const found =
      type === undefined
        ? `The graph has no parameter ${quote(name)}.`
        : `The parameter ${quote(name)} is not a number.`;
    refuse(issues, item.path, found);
    return [];
  });
}

function readChild(
  { value, path }: Item,
  type: GraphTree['type'],
  issues: IssueList,
  parameters: Graph['parameters'],
  depth: number,
): GraphChild | undefined {
  const fields = fieldsOf(value, path, issues);
  const name = fields && requiredOf(fields, 'name', nameRule);
  if (!fields || name === undefined) return undefined;
  if (name.includes('.'))
    refuse(issues, `${path}/name`, `The name ${quote(name)} has a dot in it, so no clip can be assigned to it.`);
  const point = type === 'DIRECT' ? [] : readPoint(fields, type === '1D' ? 1 : 2);
  const isTree = (fields.object.children ?? undefined) !== undefined;
  const tree = isTree ? readTree(value, path, name, issues, parameters, depth + 1) : undefined;
  return { path, name, point, speed: isTree ? 1 : (optionalOf(fields, 'speed', number) ?? 1), tree };
}

function readPoint({ object, path, issues }: Fields, size: number): number[] {
  const list: unknown[] = size === 1 ? [object.point] : Array.isArray(object.point) ? object.point.slice(0, 3) : [];
  const numbers = list.filter((value): value is number => typeof value === 'number' && isUsable(value));
  if (numbers.length === size && list.length === size) return numbers;
  const wanted = size === 1 ? 'a number' : 'two numbers';
  refuse(issues, `${path}/point`, `Expected ${wanted}, got ${describe(object.point)}.`);
  return Array.from({ length: size }, () => 0);
}
