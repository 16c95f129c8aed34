import { bindings, reads } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';

/** Bindings through which an application's own passes read a crowd. The caller chooses the group number. */
export const drawMemoryBindings = /* @__PURE__ */ bindings(0, {
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  residents: reads(Resident),
  skinned: reads('vec2u'),
  indices1: reads('u32'),
});
