import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { acceptDrops } from '../files/drop-zone.ts';
import { listed } from '../../src/errors.ts';
import { type Dropped, loadDropped, type ShownCharacter } from '../files/load-dropped.ts';
import { generation, notify, send, succeed } from './state.ts';

const loading = signal<string | undefined>(undefined);
/** Characters that have joined the field, by key. Clips that are dropped later are bound to them. */
const joined = new Map<number, ShownCharacter>();
let keys = 0;
/** The field that they have joined. */
let field = 0;
let taking: Promise<void> = Promise.resolve();

/** Loads files, one drop after the other, and sends their characters and controllers to the field. Notices list their issues. */
function take(files: readonly File[]): Promise<void> {
  taking = taking.then(async () => {
    loading.value = 'Reading';
    // a field that starts again has no guests
    if (field !== generation.value) joined.clear();
    field = generation.value;
    try {
      const all = await loadDropped(files, (told) => (loading.value = told), [...joined.values()]);
      if (all.some(({ kind }) => kind !== 'failed')) succeed('file');
      for (const dropped of all) use(dropped);
      tellClips(all);
    } finally {
      loading.value = undefined;
    }
  });
  return taking;
}

function use(dropped: Dropped): void {
  const { name, issues } = dropped;
  if (dropped.kind === 'failed') return notify('file', dropped.title ?? `${name} could not be read`, issues);
  if (dropped.kind === 'controller') send({ kind: 'control', name, controller: dropped.controller });
  else {
    const { character, model, added, replaces: key = keys++ } = dropped;
    send({ kind: 'join', key, name, character, plays: added?.reports.map(({ clip }) => clip) });
    joined.set(key, { key, name, model });
  }
  const isKnown = dropped.kind === 'character' && dropped.replaces !== undefined;
  const toTell = isKnown
    ? []
    : issues.filter(({ severity, code }) => severity !== 'info' && code !== 'CLIP_RETARGETED');
  if (toTell.length > 0) notify('file', `${name}: repaired, or left out`, toTell);
}

/** Says which characters got clips, and how well those fit. */
function tellClips(all: readonly Dropped[]): void {
  const bound = all.flatMap((each) =>
    each.kind === 'character' && each.added ? [{ name: each.name, ...each.added }] : [],
  );
  if (bound.length === 0) return;
  const clips = listed(bound[0]!.reports.map(({ clip }) => clip));
  const issues = bound.flatMap(({ name, reports }) =>
    reports.flatMap((report) => report.issues.map((issue) => ({ ...issue, path: `${name}: ${issue.path}` }))),
  );
  notify('file', `${clips}: on ${bound.map(({ name }) => name).join(', ')}`, issues);
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
        A character joins the field as a troop. Clips without a mesh, such as <code>.bvh</code>, play on all characters
        that you have dropped: they are retargeted to each of them. A controller runs on the character that joined last,
        or on legionaries where it names their clips.
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
