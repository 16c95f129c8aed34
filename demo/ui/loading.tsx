import { busy, failed, isDrawn } from './state.ts';

/** Progress of a battle to its first frame, over the still picture. */
export function Loading() {
  if (isDrawn.value || failed.value) return null;
  const { text = 'Starting', share = 0 } = busy.value ?? {};
  return (
    <div class="loading" role="status">
      <p>{text} …</p>
      <progress aria-label="Loading" value={share} max={1} />
    </div>
  );
}
