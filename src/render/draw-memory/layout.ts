import { bindings, reads } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';

/** What passes of one's own read of a crowd. Shaders are given the group number that the caller chooses. */
export const drawMemoryBindings = bindings(0, {
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  residents: reads(Resident),
  skinned: reads('vec4u'),
  skinnedTangents: reads('u32'),
  indices1: reads('u32'),
});
