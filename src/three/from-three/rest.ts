import type { AnimationClip, AnimationMixer, Object3D } from 'three';
import { activeActions } from './played-actions.ts';

/**
 * Looks at a root as it stands when nothing plays, and has its mixer go on as it was. A mixer tells how things rest by putting
 * them back, so its actions are stopped meanwhile; fades that were under way end, and scheduled starts come at once.
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
