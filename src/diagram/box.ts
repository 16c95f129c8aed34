/** A place in a diagram, in pixels from the top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle by its centre. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}
