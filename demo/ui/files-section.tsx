import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { acceptDrops } from '../files/drop-zone.ts';
import { loadDropped } from '../files/load-dropped.ts';
import { notify, send, succeed } from './state.ts';

const loading = signal<string | undefined>(undefined);

/** Loads files and sends their characters and controllers to the field. Notices list their issues. */
async function take(files: readonly File[]): Promise<void> {
  loading.value = 'Reading';
  try {
    const all = await loadDropped(files, (told) => (loading.value = told));
    if (all.some(({ kind }) => kind !== 'failed')) succeed('file');
    for (const dropped of all) {
      const { name, issues } = dropped;
      if (dropped.kind === 'failed') notify('file', `${name} could not be read`, issues);
      else {
        if (dropped.kind === 'character') send({ kind: 'join', name, character: dropped.character });
        else send({ kind: 'control', name, controller: dropped.controller });
        const toTell = issues.filter(({ severity }) => severity !== 'info');
        if (toTell.length > 0) notify('file', `${name}: repaired, or left out`, toTell);
      }
    }
  } finally {
    loading.value = undefined;
  }
}

/** Offers to load files in the first view: by dropping with a mouse, by choosing on touch screens. */
export function FileOffer() {
  return (
    <label class="offer">
      <input type="file" multiple aria-label="Choose a character of your own" />
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M10 13V3m0 0L6 7m4-4l4 4M3 12v5h14v-5" />
      </svg>
      {loading.value === undefined ? (
        <span>
          <strong class="for-pointers">Drop your own character</strong>
          <strong class="for-fingers">Open your own character</strong>
          <small>.glb, .gltf, .vrm, .fbx, .bvh or .maniple</small>
        </span>
      ) : (
        <span role="status">{loading.value} …</span>
      )}
    </label>
  );
}

/** Files from elsewhere: chosen here, dropped anywhere on the page, or pasted. */
export function FilesSection() {
  return (
    <>
      <p>
        Drop your own files anywhere on the page: a character (<code>.glb</code>, <code>.vrm</code>, <code>.fbx</code>,{' '}
        <code>.bvh</code>, <code>.maniple</code>, or <code>.gltf</code> with its buffers and images), or a controller
        from Unity (<code>.controller</code>), PlayCanvas or Maniple (<code>.json</code>). Folders work too. Your files
        stay on this device.
      </p>
      <label class="file-button">
        <input type="file" multiple />
        <span>Choose files …</span>
      </label>
      {loading.value !== undefined && (
        <p class="note" role="status">
          {loading.value} …
        </p>
      )}
      <p class="quiet">
        A character joins the field as a troop. A controller runs on the character that joined last, or on legionaries
        where it names their clips.
      </p>
      <p>
        <a href="./inspector.html">The inspector</a> shows one file in detail: its skeleton, clips, and the error that
        packing adds.
      </p>
    </>
  );
}

/** Accepts files on the whole page. */
export function useDrops() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => acceptDrops(ref.current!, (files) => void take(files)), []);
  return ref;
}
