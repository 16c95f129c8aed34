import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { FrameParams, SlotState, VisibleCharacter } from '../layout.ts';

/** A requested joint of a character, by its row in the palette. */
export const AskedJoint = /* @__PURE__ */ struct('AskedJoint', { character: 'u32', jointRow: 'u32' });

/** The answer to an {@link AskedJoint}. */
export const JointAnswer = /* @__PURE__ */ struct('JointAnswer', {
  /** Zeros when the frame did not pose the character. */
  modelFromJoint: 'Affine',
  /** JOINT_ constants. */
  status: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});
/** The frame did not list the character; it listed the character, which kept its pose; it posed the character. */
export const JOINT_UNSEEN = 0;
export const JOINT_KEPT = 1;
export const JOINT_POSED = 2;

export const readJointsBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(FrameParams),
  slots: reads(SlotState),
  visible: reads(VisibleCharacter),
  palettes: reads('vec4f'),
  asked: reads(AskedJoint),
  answers: writes(JointAnswer),
});

/** Rows of 16 bytes out of any buffer: `ROWS` of them for each requested item. */
export const readRowsBindings = /* @__PURE__ */ bindings(0, {
  asked: reads('u32'),
  source: reads('vec4u'),
  answers: writes('vec4u'),
});
