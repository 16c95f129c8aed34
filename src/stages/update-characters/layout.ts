import { bindings, reads, uniform } from '../../layout/index.ts';
import { FrameParams, Transform, VisibleCharacter } from '../layout.ts';

/** Group 0. Group 1 is the memory of providers, group 2 the application's resources. */
export const updateCharactersBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  /** Transforms of the last frame with views. */
  previousTransforms: reads(Transform),
});
