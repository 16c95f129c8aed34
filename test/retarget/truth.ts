import { fingerTruth, type Truth } from './rig-trees.ts';

/** Which joint is which bone, per skeleton; read from the files by hand. */

const LR = ['l', 'r'] as const;
const LEFT_RIGHT = ['Left', 'Right'] as const;
const UNREAL_BODY =
  'UpperLeg:thigh_* LowerLeg:calf_* Foot:foot_* Toes:ball_* Shoulder:clavicle_* UpperArm:upperarm_* LowerArm:lowerarm_* Hand:hand_*';
const UNREAL_TRUNK = 'hips:pelvis spine:spine_01 chest:spine_02 upperChest:spine_03 neck:neck_01 head:head';
const HUMANIK_LIMBS =
  'UpperLeg:*UpLeg LowerLeg:*Leg Foot:*Foot Shoulder:*Shoulder UpperArm:*Arm LowerArm:*ForeArm Hand:*Hand';

const HUMANIK_FINGERS: string = fingerTruth('*Hand#%', ['Thumb', 'Index', 'Middle', 'Ring', 'Pinky']);

export const UNREAL: Truth = {
  marks: LR,
  middle: UNREAL_TRUNK,
  sided: `${UNREAL_BODY} ${fingerTruth('#_%_*', ['thumb', 'index', 'middle', 'ring', 'pinky'], 1, 2)}`,
};
export const UNREAL_TWO_FINGERS: Truth = {
  ...UNREAL,
  sided: `${UNREAL_BODY} ${fingerTruth('#_%_*', ['thumb', 'index'], 1, 2)}`,
};
export const KAYKIT: Truth = {
  marks: LR,
  middle: 'hips:hips spine:spine chest:chest head:head',
  sided:
    'UpperLeg:upperleg.* LowerLeg:lowerleg.* Foot:foot.* Toes:toes.* UpperArm:upperarm.* LowerArm:lowerarm.* Hand:hand.*',
};
const QUATERNIUS_LIMBS =
  'UpperLeg:UpperLeg.* LowerLeg:LowerLeg.* Foot:Foot.* Shoulder:Shoulder.* UpperArm:UpperArm.* LowerArm:LowerArm.*';
export const CYBERPUNK: Truth = {
  marks: ['L', 'R'],
  middle: 'hips:Body spine:Abdomen chest:Chest neck:Neck head:Head',
  sided: `${QUATERNIUS_LIMBS} Hand:Hand.*`,
};
/** Its thumbs have the other side's names, and hang below the lower arms. */
export const QUATERNIUS_KNIGHT: Truth = {
  marks: ['L', 'R'],
  middle:
    'hips:Body spine:Abdomen chest:Torso neck:Neck head:Head leftThumbProximal:Thumb.R leftThumbDistal:Thumb2.R rightThumbProximal:Thumb.L rightThumbDistal:Thumb2.L',
  sided: `${QUATERNIUS_LIMBS} Hand:Palm.*`,
};
export const ASTRONAUT_BEE: Truth = {
  marks: ['L', 'R'],
  middle: 'hips:Body spine:Abdomen chest:Torso neck:Neck head:Head',
  sided: `${QUATERNIUS_LIMBS} ThumbProximal:Thumb1.* ThumbDistal:Thumb2.* ${['Index', 'Middle', 'Little']
    .map((bone) =>
      ['Proximal', 'Intermediate', 'Distal']
        .map((joint, i) => `${bone}${joint}:${bone === 'Little' ? 'Pinky' : bone}${i + 1}.*`)
        .join(' '),
    )
    .join(' ')}`,
};
/** Legs of three parts; the middle one is no bone. FootBack ends the leg, and Foot carries the foot. */
export const MECH_GEORGE: Truth = {
  marks: ['L', 'R'],
  middle: 'hips:Body spine:Torso chest:Chest neck:Neck head:Head',
  sided:
    'UpperLeg:UpperLeg.* LowerLeg:LowerLeg.* Foot:Foot.* Shoulder:Shoulder.* UpperArm:UpperArm.* LowerArm:LowerArm.* ThumbProximal:Thumb1.* ThumbDistal:Thumb2.* IndexProximal:Index1.* IndexIntermediate:Index2.* RingProximal:Ring1.* RingIntermediate:Ring2.* LittleProximal:Pinky1.* LittleIntermediate:Pinky2.*',
};
export const ROBOT_EXPRESSIVE: Truth = {
  marks: ['L', 'R'],
  middle: 'hips:Body spine:Abdomen chest:Torso_1 neck:Neck head:Head',
  sided:
    'UpperLeg:UpperLeg* LowerLeg:LowerLeg* Foot:Foot* Shoulder:Shoulder* UpperArm:UpperArm* LowerArm:LowerArm* Hand:Palm2* ThumbProximal:Thumb* ThumbDistal:Thumb2* IndexProximal:Index* IndexIntermediate:Index2* MiddleProximal:Middle1* MiddleIntermediate:Middle2* RingProximal:Ring1* RingIntermediate:Ring2*',
};
/** Its names of sides are those that a viewer in front sees. */
export const GODOT_ROBOT: Truth = {
  marks: ['r', 'l'],
  middle: 'hips:hip spine:waist chest:chest neck:neck head:head',
  sided: 'UpperLeg:*-thigh LowerLeg:*-leg Foot:*-foot UpperArm:*-arm LowerArm:*-forearm',
};
export const GODETTE: Truth = {
  marks: LR,
  middle: 'hips:pelvis_Armature spine:tummy_Armature chest:chest_Armature neck:neck_Armature head:head_Armature',
  sided:
    `UpperLeg:thigh.* LowerLeg:shin.* Foot:foot.* Toes:toes.* Shoulder:shoulder.* UpperArm:upper_arm.* LowerArm:lowerarm.* Hand:hand.* ThumbMetacarpal:thumb.1.* ThumbProximal:thumb.2.* ThumbDistal:thumb.3.* IndexProximal:Finger.* IndexIntermediate:Finger.001.* IndexDistal:Finger.002.* MiddleProximal:f2a.* MiddleIntermediate:f2b.* MiddleDistal:f2c.* LittleProximal:f3a.* LittleIntermediate:f3b.* LittleDistal:f3c.*`.replaceAll(
      '.*',
      '.*_Armature',
    ),
};
export const ASF: Truth = {
  marks: LR,
  middle: 'hips:root spine:lowerback chest:upperback upperChest:thorax neck:lowerneck head:head',
  sided:
    'UpperLeg:*femur LowerLeg:*tibia Foot:*foot Toes:*toes Shoulder:*clavicle UpperArm:*humerus LowerArm:*radius Hand:*wrist ThumbProximal:*thumb',
};
export const BANDAI: Truth = {
  marks: ['L', 'R'],
  middle: 'hips:Hips spine:Spine chest:Chest neck:Neck head:Head',
  sided:
    'UpperLeg:UpperLeg_* LowerLeg:LowerLeg_* Foot:Foot_* Toes:Toes_* Shoulder:Shoulder_* UpperArm:UpperArm_* LowerArm:LowerArm_* Hand:Hand_*',
};
export const LEGIONARY: Truth = {
  marks: LR,
  middle: 'hips:pelvis spine:spine_1 chest:chest neck:neck head:head',
  sided:
    'UpperLeg:thigh_* LowerLeg:shin_* Foot:foot_* Toes:toe_* Shoulder:clavicle_* UpperArm:upper_arm_* LowerArm:lower_arm_* Hand:hand_*',
};
export const CMU_BVH: Truth = {
  marks: LEFT_RIGHT,
  middle:
    'hips:Hips spine:LowerBack chest:Spine upperChest:Spine1 neck:Neck head:Head leftThumbProximal:LThumb rightThumbProximal:RThumb',
  sided: `${HUMANIK_LIMBS} Toes:*ToeBase IndexProximal:*HandIndex1`,
};
export const MOCAPBANK: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Chest chest:Chest2 neck:Neck head:Head',
  sided: 'UpperLeg:*Hip LowerLeg:*Knee Foot:*Ankle Shoulder:*Collar UpperArm:*Shoulder LowerArm:*Elbow Hand:*Wrist',
};
export const BIOVISION: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Chest neck:Neck head:Head',
  sided: 'UpperLeg:*UpLeg LowerLeg:*LowLeg Foot:*Foot Shoulder:*Collar UpperArm:*UpArm LowerArm:*LowArm Hand:*Hand',
};
export const MOTIONBUILDER: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Spine chest:Spine1 neck:Neck head:Head',
  sided: HUMANIK_LIMBS,
};
export const SPINE3: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Spine chest:Spine1 upperChest:Spine3 neck:Neck head:Head',
  sided: `${HUMANIK_LIMBS} Toes:*ToeBase`,
};
export const MIXAMO: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Spine chest:Spine1 upperChest:Spine2 neck:Neck head:Head',
  sided: `${HUMANIK_LIMBS} Toes:*ToeBase ${HUMANIK_FINGERS}`,
};

export const MOTIONBUILDER_TOES: Truth = { ...MOTIONBUILDER, sided: `${HUMANIK_LIMBS} Toes:*ToeBase` };
/** Controls are next to the bones. Hands have an index finger and a short thumb. */
export const KENNEY: Truth = {
  marks: LEFT_RIGHT,
  middle: 'hips:Hips spine:Spine chest:Chest upperChest:UpperChest neck:Neck head:Head',
  sided: `${HUMANIK_LIMBS} Toes:*Toes ThumbProximal:*HandThumb1 ThumbDistal:*HandThumb2 IndexProximal:*HandIndex1 IndexIntermediate:*HandIndex2 IndexDistal:*HandIndex3`,
};
/** A pelvis below the hips, small letters, and a little finger that is called RingPinky on one side. */
export const PAB: Truth = {
  marks: LEFT_RIGHT,
  middle:
    'hips:Hips spine:Spine chest:Spine1 upperChest:Spine3 neck:Neck head:Head leftHand:Lefthand rightHand:RightHand leftLittleProximal:LeftHandRingPinky1 leftLittleIntermediate:LeftHandRingPinky2 leftLittleDistal:LeftHandRingPinky3 rightLittleProximal:RightHandPinky1 rightLittleIntermediate:RightHandPinky2 rightLittleDistal:RightHandPinky3',
  sided: `${HUMANIK_LIMBS.replace(' Hand:*Hand', '')} Toes:*FootThumb1 ${fingerTruth('*Hand#%', ['Thumb', 'Index', 'Middle', 'Ring'])}`,
};
export const POSER: Truth = {
  marks: LR,
  middle: 'hips:hip spine:abdomen chest:chest neck:neck head:head leftEye:leftEye rightEye:rightEye',
  sided: `UpperLeg:*Thigh LowerLeg:*Shin Foot:*Foot Shoulder:*Collar UpperArm:*Shldr LowerArm:*ForeArm Hand:*Hand ThumbProximal:*Thumb1 ThumbDistal:*Thumb2 ${[
    ['Index', 'Index'],
    ['Middle', 'Mid'],
    ['Ring', 'Ring'],
    ['Little', 'Pinky'],
  ]
    .map(([bone, name]) => `${bone}Proximal:*${name}1 ${bone}Intermediate:*${name}2`)
    .join(' ')}`,
};
