import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { acceptDrops } from '../files/drop-zone.ts';
import { loadDropped } from '../files/load-dropped.ts';
import { notify, send } from './state.ts';

const loading = signal<string | undefined>(undefined);

/** Loads files and has what they are join the field; what is wrong with them is shown. */
async function take(files: readonly File[]): Promise<void> {
  loading.value = 'reading';
  try {
    for (const dropped of await loadDropped(files, (told) => (loading.value = told))) {
      const { name, issues } = dropped;
      if (dropped.kind === 'failed') notify(`${name} could not be read`, issues);
      else {
        if (dropped.kind === 'character') send({ kind: 'join', name, character: dropped.character });
        else send({ kind: 'control', name, controller: dropped.controller });
        const toTell = issues.filter(({ severity }) => severity !== 'info');
        if (toTell.length > 0) notify(`${name}: repaired, or left out`, toTell);
      }
    }
  } finally {
    loading.value = undefined;
  }
}

/** Files from elsewhere: chosen here, dropped anywhere on the page, or pasted. */
export function FilesSection() {
  return (
    <>
      <p>
        Drop your own files anywhere on the page: a <code>.glb</code> or <code>.gltf</code> with what belongs to it, a
        baked <code>.maniple</code>, a controller of Unity (<code>.controller</code>), PlayCanvas or Maniple (
        <code>.json</code>). They never leave this page.
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
      <p>
        <a href="./inspector.html">The inspector</a> shows a file in detail, and what packing made of it.
      </p>
      <p class="quiet">
        A character joins as a troop at the end of the field. A controller is run by the character that joined last, or
        by legionaries, where it names their clips.
      </p>
    </>
  );
}

/** The whole page takes files. */
export function useDrops() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => acceptDrops(ref.current!, (files) => void take(files)), []);
  return ref;
}
