import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { FrameParams, SlotState, Transform, VisibleCharacter } from '../layout.ts';

/** An attachment, written by the CPU. */
export const Attachment = /* @__PURE__ */ struct('Attachment', {
  /** Index of the character that carries it; ATTACHMENT_NONE in an unused row. */
  character: 'u32',
  /** Row of a palette where the transform of the socket's joint begins. */
  jointRow: 'u32',
  /** ATTACHMENT_ flags. */
  flags: 'u32',
  /** The frame in which it was attached, or its character teleported: it has no history. */
  freshFrame: 'u32',
  jointFromLocal: 'Affine',
});
export const ATTACHMENT_NONE = 0xffffffff;
/** The attachment is not drawn while its character is culled. */
export const ATTACHMENT_HIDES = 1;
/** The attachment is not drawn: its character is hidden. */
export const ATTACHMENT_HIDDEN = 2;
/** All flags. */
export const ATTACHMENT_FLAGS = 3;

/** An attachment's joint, as its character was last posed. */
export const SocketJoint = /* @__PURE__ */ struct('SocketJoint', { modelFromJoint: 'Affine' });

/** An attachment in the last frame; zeros if that frame did not list its character. */
export const PreviousLocal = /* @__PURE__ */ struct('PreviousLocal', { modelFromLocal: 'Affine' });

/** Bytes of one attachment in `sockets`. */
export const SOCKET_BYTES: number = Attachment.size + SocketJoint.size + PreviousLocal.size;
export const MATRIX_BYTES = 64;

/** `sockets` holds `capacity` rows of `Attachment`, then as many of `SocketJoint`, then as many of `PreviousLocal`. */
export const placeSocketsBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(FrameParams),
  slots: reads(SlotState),
  visible: reads(VisibleCharacter),
  palettes: reads('vec4f'),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  sockets: writes('vec4u'),
  matrices: writes('mat4x4f'),
  previousMatrices: writes('mat4x4f'),
});
