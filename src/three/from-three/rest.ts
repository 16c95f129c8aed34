import type { AnimationClip, AnimationMixer, Object3D } from 'three';
import { activeActions } from './played-actions.ts';

/**
 * Calls `look` while a root is in its rest pose, and then resumes its mixer. A mixer restores the rest pose only when its actions stop,
 * so they are stopped and started again. This ends current fades, and starts scheduled actions at once.
 */
export function atRest<T>(root: Object3D, mixer: AnimationMixer, clips: readonly AnimationClip[], look: () => T): T {
  const stopped = activeActions(root, mixer, clips).map(({ action }) => {
    const { enabled, paused, time } = action;
    const weight = enabled ? action.getEffectiveWeight() : action.weight;
    const timeScale = paused ? action.timeScale : action.getEffectiveTimeScale();
    action.stop();
    return () => {
      action.play();
      Object.assign(action, { enabled, paused, time });
      action.setEffectiveWeight(weight).setEffectiveTimeScale(timeScale);
    };
  });
  try {
    return look();
  } finally {
    for (const again of stopped) again();
    mixer.update(0);
  }
}
