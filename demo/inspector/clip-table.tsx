import type { JSX } from 'preact';
import type { CharacterState } from './character-state.ts';
import { bytes, count, millimetres, seconds } from './format.ts';

/** Every clip: how long it is, and what packing made of it. A name chooses the clip. */
export function ClipTable({ state }: { readonly state: CharacterState }): JSX.Element {
  const { clips } = state.character;
  if (clips.length === 0) return <p class="empty">This character has no clips.</p>;
  return (
    <div class="scrolls">
      <table>
        <thead>
          <tr>
            {['Clip', 'Length', 'Keys', 'Packed', 'In the file', 'Ratio', 'Largest error'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clips.map((clip, index) => (
            <tr key={index} aria-current={state.clip.value === index}>
              <th scope="row">
                <button type="button" onClick={() => state.choose(index)}>
                  {clip.name || `(clip ${index})`}
                </button>
              </th>
              <td>{seconds(clip.duration)}</td>
              <td>{count(clip.keys)}</td>
              <td>{bytes(clip.bytes)}</td>
              <td>{bytes(clip.sourceBytes)}</td>
              <td>{clip.bytes > 0 ? `${(clip.sourceBytes / clip.bytes).toFixed(1)} ×` : '–'}</td>
              <td>{millimetres(clip.maxError)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
