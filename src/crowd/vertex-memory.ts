import type { Backend } from '../frame/backend.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { VertexPages, type VertexLimits } from '../frame/tables/vertex-pages.ts';

/** The crowd's vertex memory on whatever backend it has. */
export function vertexPages(backend: () => Backend, shape: CrowdLayout): VertexPages {
  return new VertexPages(shape.tables.types, shape.classes, vertexLimits(backend(), shape), {
    create: (page) => backend().addPage(page),
    remove: (page) => backend().removePage(page),
  });
}

export function vertexLimits({ limits }: Backend, { vertexBudget }: CrowdLayout): VertexLimits {
  const { pageVertices, pageCount } = limits;
  return { vertexBudget, pageVertices, pageCount };
}
