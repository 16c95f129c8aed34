import type { JSX } from 'preact';
import legionary from '../../characters/legionary.glb?url';
import raider from '../../characters/raider.glb?url';
import { openAddress } from './library.ts';

const EXAMPLES = [
  { name: 'legionary.glb', address: legionary, title: 'Legionary' },
  { name: 'raider.glb', address: raider, title: 'Raider' },
];

/** Shown before a file is opened. */
export function StartScreen(): JSX.Element {
  return (
    <div class="start">
      <label class="drop-area">
        <input type="file" multiple />
        <svg viewBox="0 0 48 48" aria-hidden="true">
          <path d="M24 32V8m0 0l-9 9m9-9l9 9M8 30v10h32V30" />
        </svg>
        <strong>Drop a character or a controller here</strong>
        <span class="button">Choose files</span>
      </label>
      <dl class="accepted">
        <div>
          <dt>Characters</dt>
          <dd>.glb, .vrm, .fbx, .bvh, .maniple, or .gltf with its .bin and images; folders work too</dd>
        </div>
        <div>
          <dt>Controllers</dt>
          <dd>
            .json from Maniple or PlayCanvas; .controller and .overrideController from Unity, with their .anim, .mask
            and .meta files
          </dd>
        </div>
      </dl>
      <div class="examples">
        <span>Or open an example:</span>
        {EXAMPLES.map(({ name, address, title }) => (
          <button key={name} type="button" onClick={() => void openAddress(address, name)}>
            {title}
          </button>
        ))}
      </div>
      <p class="private">Your files stay on this device.</p>
    </div>
  );
}
