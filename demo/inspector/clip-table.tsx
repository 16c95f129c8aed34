import type { JSX } from 'preact';
import type { CharacterState } from './character-state.ts';
import { bytes, millimetreDigits } from './format.ts';
import { countText } from '../numbers.ts';

const COLUMNS: readonly { readonly title: string; readonly meaning: string }[] = [
  { title: 'Clip', meaning: 'Name' },
  { title: 'Seconds', meaning: 'Length in seconds' },
  { title: 'Keys', meaning: 'Keys of all tracks in the file' },
  { title: 'Packed', meaning: 'Size after packing' },
  { title: 'In file', meaning: 'Size of the keys in the file' },
  { title: 'Ratio', meaning: 'Size in the file divided by the packed size' },
  { title: 'Error, mm', meaning: 'Largest error that packing measured, in millimetres' },
];

/** Every clip with its length, sizes and packing error. A name chooses the clip. */
export function ClipTable({ state }: { readonly state: CharacterState }): JSX.Element {
  const { clips } = state.character;
  if (clips.length === 0) return <p class="empty">This character has no clips.</p>;
  return (
    <div class="scrolls">
      <table>
        <thead>
          <tr>
            {COLUMNS.map(({ title, meaning }) => (
              <th key={title} scope="col" title={meaning}>
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
              <td>{clip.duration.toFixed(2)}</td>
              <td>{countText(clip.keys)}</td>
              <td>{bytes(clip.bytes)}</td>
              <td>{bytes(clip.sourceBytes)}</td>
              <td>{clip.bytes > 0 ? (clip.sourceBytes / clip.bytes).toFixed(1) : '–'}</td>
              <td>{millimetreDigits(clip.maxError)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
