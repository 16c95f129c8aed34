import type { ClipPlan } from '../motion/clip.ts';
import { fightClips } from './clips-fight.ts';
import { moveClips } from './clips-move.ts';
import { standClips } from './clips-stand.ts';

export const clips: readonly ClipPlan[] = [...standClips, ...moveClips, ...fightClips];
