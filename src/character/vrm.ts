type Vec3 = readonly [x: number, y: number, z: number];

/**
 * Parts of a VRM avatar that are neither skeleton, mesh nor clip: plain data, indices into the model. Springs, gaze and
 * first person are not simulated. https://github.com/vrm-c/vrm-specification
 */
export interface VrmModel {
  readonly version: '0.x' | '1.0';
  readonly meta: VrmMeta;
  readonly expressions: readonly VrmExpression[];
  readonly springs: readonly VrmSpring[];
  readonly colliderGroups: readonly (readonly VrmCollider[])[];
  readonly lookAt?: VrmLookAt | undefined;
  readonly firstPerson: readonly VrmFirstPerson[];
}

/** The author's words about an avatar. */
export interface VrmMeta {
  readonly title: string;
  readonly authors: readonly string[];
  /** Name or address of the licence; "" if the file has none. */
  readonly license: string;
  /** All texts, numbers and flags, by the names in the file: permissions, contact, version … */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** A facial expression. The clip `expression:NAME` of the model shows it. */
export interface VrmExpression {
  /** As VRM 1.0 names its presets (`happy`, `aa`, `blinkLeft` …), or a name of the author. */
  readonly name: string;
  /** True if weights between 0 and 1 are not meant. */
  readonly isBinary: boolean;
  readonly morphs: readonly { readonly morphSetIndex: number; readonly targetIndex: number; readonly weight: number }[];
}

/** Joints that swing. */
export interface VrmSpring {
  readonly name: string;
  /** From the root of a chain to its end; in VRM 0.x a tree. */
  readonly joints: readonly VrmSpringJoint[];
  /** Indices into `colliderGroups`. */
  readonly colliderGroups: readonly number[];
  /** The joint that motion is measured from; -1 for the world. */
  readonly centerJointIndex: number;
}

/** How a joint of a spring swings. */
export interface VrmSpringJoint {
  readonly jointIndex: number;
  /** Metres. */
  readonly hitRadius: number;
  readonly stiffness: number;
  readonly gravityPower: number;
  /** In model space. */
  readonly gravityDirection: Vec3;
  /** 0 to 1. */
  readonly drag: number;
}

/** A sphere, or with a tail a capsule, that springs do not enter. */
export interface VrmCollider {
  readonly jointIndex: number;
  /** Metres, in joint space. */
  readonly offset: Vec3;
  /** The other end of a capsule: metres, in joint space. */
  readonly tail?: Vec3 | undefined;
  /** Metres. */
  readonly radius: number;
}

/** How eyes follow a target. */
export interface VrmLookAt {
  readonly type: 'bone' | 'expression';
  /** Between the eyes: metres, in the head's joint space. */
  readonly offsetFromHead: Vec3;
  /** Per direction: the largest angle, in degrees, and its effect (degrees of a bone, or weight of an expression). */
  readonly ranges: Readonly<
    Record<
      'horizontalInner' | 'horizontalOuter' | 'verticalDown' | 'verticalUp',
      { readonly inputDegrees: number; readonly output: number }
    >
  >;
}

/** The views that show a mesh: the avatar's own, those of others, or both. */
export interface VrmFirstPerson {
  /** The node of the meshes, as in `MeshModel`. */
  readonly nodeIndex: number;
  readonly type: 'auto' | 'both' | 'thirdPersonOnly' | 'firstPersonOnly';
}
