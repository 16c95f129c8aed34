import type { CharacterModel } from '../../../character/model.ts';
import { warning } from '../../../errors.ts';
import { decodeText } from '../../decode-text.ts';
import { refuse } from '../../model-builder/issue-list.ts';
import { importUnityClip } from '../clip.ts';

/**
 * Reads a Unity clip of a humanoid (`.anim`) as a model: a body of default proportions without meshes, and the clip that moves it.
 * Approximate (ADR 0042). `bindClips` carries it to a character.
 *
 * @param name Of the model.
 * @throws ManipleError UNITY_UNSUPPORTED for a clip without muscles; as `importUnityClip`
 */
export function importUnityHumanoid(bytes: Uint8Array, name: string): CharacterModel {
  const { humanoid, issues, tracks, facts, name: clip } = importUnityClip(decodeText(bytes));
  if (!humanoid) {
    const message = `the clip ${JSON.stringify(clip)} moves transforms and no muscles of a humanoid: it belongs to one skeleton`;
    return refuse(
      'UNITY_UNSUPPORTED',
      '',
      message,
      'Bind it to its character with bindUnityClip, or `maniple bake hero.glb --clips`.',
    );
  }
  const all = [...issues, ...humanoid.issues];
  if (tracks.length > 0) {
    const message = `Curves of transforms and morph weights have no place in the default body: ${tracks.length} are left out.`;
    all.push(warning('UNITY_UNSUPPORTED', clip, message, 'Bind the clip to its character with bindUnityClip.'));
  }
  if (facts.mirror) {
    const message = 'Unity plays the clip with left and right exchanged; here it is as it was recorded.';
    all.push(warning('UNITY_UNSUPPORTED', clip, message, 'Bind it with the option mirror.'));
  }
  return { ...humanoid, name, issues: all };
}
