/** A part of a crowd's vertex memory that one binding reaches. A slot never crosses a page. */
export interface Page {
  readonly index: number;
  readonly vertexCapacity: number;
}
