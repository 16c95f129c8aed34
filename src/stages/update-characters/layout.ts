import { bindings, reads, uniform } from '../../layout/index.ts';
import { FrameParams, Transform, VisibleCharacter } from '../layout.ts';

/** Group 0; group 1 is the memory of providers, group 2 what the application has bound. */
export const updateCharactersBindings = bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  /** Of the last frame with views. */
  previousTransforms: reads(Transform),
});
