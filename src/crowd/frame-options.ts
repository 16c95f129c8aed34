/** How a frame runs. */
export interface FrameOptions {
  /** Seconds that pass; default 0. */
  readonly dt?: number;
  /** Whether anyone looks: state machines run either way, poses and skins only then. Default true. */
  readonly seen?: boolean;
}

/** A frame that has been recorded but not submitted. */
export interface EncodedFrame {
  /**
   * Call this once the encoder's commands are submitted: only then can uploads and read-backs be mapped. Resolves when
   * the frame has run; rejects with DEVICE_LOST.
   */
  submitted(): Promise<void>;
}
