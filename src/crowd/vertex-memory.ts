import type { Backend } from '../frame/backend.ts';
import type { CrowdShape } from '../frame/shape.ts';
import { VertexPages, type VertexLimits } from '../frame/vertex-pages.ts';

/** The crowd's vertex memory on whatever backend it has. */
export function vertexPages(backend: () => Backend, shape: CrowdShape): VertexPages {
  return new VertexPages(shape.tables.types, shape.classes, vertexLimits(backend(), shape), {
    create: (page) => backend().addPage(page),
    remove: (page) => backend().removePage(page),
  });
}

export function vertexLimits({ limits }: Backend, { vertexBudget }: CrowdShape): VertexLimits {
  const { pageVertices, pageCount } = limits;
  return { vertexBudget, pageVertices, pageCount };
}
