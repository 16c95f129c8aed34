// The page's state of the field, as signals, and functions that send commands to it.
import { computed, signal } from '@preact/signals';
import { connectField, type FieldPort, hasWorkerCanvas } from '../field/connect.ts';
import type {
  AdapterFacts,
  CanvasSize,
  Command,
  Figures,
  Settings,
  Told,
  Troop,
  Watched,
  Wishes,
} from '../protocol.ts';
import { issuesOf } from '../../src/errors.ts';
import { defaultSettings } from '../field/settings.ts';
import { pageRuns } from '../guard.ts';
import { type Link, readLink, writeLink } from './link.ts';
import { Timeline } from './timeline.ts';

type Issues = Extract<Told, { kind: 'notice' }>['issues'];

type Busy = Omit<Extract<Told, { kind: 'busy' }>, 'kind'>;
/** Subject of a notice. The next success of the same kind removes it. */
type Subject = Extract<Told, { kind: 'notice' }>['about'];

export interface Notice {
  readonly key: number;
  readonly about: Subject;
  readonly title: string;
  readonly issues: Issues;
}

/** Notices that are kept. */
const MOST_NOTICES = 5;

const STARTING: Busy = { text: 'Starting', share: 0 };
const link: Link = readLink(location.search);

/** Returns true if the system prefers reduced motion. Then the camera does not move automatically. */
export function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Settings that the link contains. */
const given = Object.fromEntries(Object.entries(link.wishes).filter(([, value]) => value !== undefined));

export const adapter = signal<AdapterFacts | undefined>(undefined);
/** Work that the field waits for; undefined when idle. */
export const busy = signal<Busy | undefined>(STARTING);
/** True if the open field has drawn a frame. */
export const isDrawn = signal(false);
export const figures = signal<Figures | undefined>(undefined);
export const troops = signal<readonly Troop[]>([]);
export const watched = signal<Watched | undefined>(undefined);
export const notes = signal<readonly string[]>([]);
export const notices = signal<readonly Notice[]>([]);
export const failed = signal<Issues | undefined>(undefined);
/** Number of fields so far. Each needs a new canvas. */
export const generation = signal(0);
export const inWorker = signal((link.worker ?? true) && hasWorkerCanvas());
/** True if a person has touched the battlefield. */
export const isTouched = signal(false);
export const timeline: Timeline = new Timeline();

const told = signal<Settings | undefined>(undefined);
/** Wishes that the field has not confirmed yet. */
const pending = signal<Wishes>({});
/** Settings that a person chose, on this page or in its link. */
const chosen = signal<Wishes>(prefersStillness() ? { ...link.wishes, orbit: undefined } : link.wishes);
const chosenWorker = signal(link.worker);
/** Settings as the page shows them: those of the field, overridden by pending wishes. */
export const settings = computed<Settings | undefined>(
  () => told.value && ({ ...told.value, ...pending.value } as Settings),
);

/** The same, with defaults until the field has reported its settings. */
export const shown = computed<Settings>(() => settings.value ?? { ...defaultSettings(false, 1), zoom: 0.4, ...given });

/** True if the field has not applied the last wishes yet. */
export const isWaiting = computed(() => told.value === undefined || Object.keys(pending.value).length > 0);

let port: FieldPort | undefined;
let turn = 0;
let noticeCount = 0;
let look: { readonly yaw: number; readonly pitch: number } | undefined;

/** Opens a field on a canvas, and closes the one before it. */
export function openOn(canvas: HTMLCanvasElement, size: CanvasSize): void {
  port?.close();
  told.value = undefined;
  failed.value = undefined;
  figures.value = undefined;
  watched.value = undefined;
  busy.value = STARTING;
  isDrawn.value = false;
  timeline.clear();
  const { yaw, pitch } = look ?? link;
  const baked = new URL('./baked/', document.baseURI).href;
  // a page without WebGPU has no worker with it
  const tier = navigator.gpu ? link.tier : 'webgl2';
  const start = { wishes: chosen.value, size, yaw, pitch, tier, fallsBack: !inWorker.value, baked };
  port = connectField(canvas, start, inWorker.value, hear);
}

export function send(command: Exclude<Command, { kind: 'set' }>): void {
  port?.send(command);
}

export function wish(wishes: Wishes): void {
  chosen.value = { ...chosen.value, ...wishes };
  pending.value = { ...pending.value, ...wishes };
  port?.send({ kind: 'set', wishes, turn: ++turn });
  keepLink();
}

/** Moves the field to a worker or to the page. It starts again there. */
export function moveField(toWorker: boolean): void {
  inWorker.value = toWorker;
  chosenWorker.value = toWorker;
  generation.value++;
  keepLink();
}

export function notify(about: Subject, title: string, issues: Issues = []): void {
  notices.value = [{ key: noticeCount++, about, title, issues }, ...notices.value].slice(0, MOST_NOTICES);
}

export function dismiss(notice: Notice): void {
  notices.value = notices.value.filter((other) => other !== notice);
}

export function dismissAll(): void {
  notices.value = [];
}

/** Removes notices about a subject, after a success. */
export function succeed(subject: Subject): void {
  notices.value = notices.value.filter(({ about }) => about !== subject);
}

function hear(message: Told): void {
  if (message.kind === 'ready') adapter.value = message.adapter;
  else if (message.kind === 'busy') busy.value = message.text === undefined ? undefined : message;
  else if (message.kind === 'drawn') {
    [isDrawn.value, busy.value] = [true, undefined];
    pageRuns((thrown) => notify('frame', 'Something on this page failed', issuesOf(thrown)));
  } else if (message.kind === 'troops') troops.value = message.troops;
  else if (message.kind === 'watched') watched.value = message.watched;
  else if (message.kind === 'notice') notify(message.about, message.title, message.issues);
  else if (message.kind === 'camera') look = message;
  else if (message.kind === 'failed') fail(message.issues);
  else if (message.kind === 'settings') {
    if (message.turn === turn) pending.value = {};
    if (told.value && isAnother(told.value, message.settings)) succeed('settings');
    told.value = message.settings;
    notes.value = message.notes;
  } else {
    timeline.add(message.figures.times);
    figures.value = message.figures;
  }
}

/** Returns true if the battle or its renderer has changed. */
function isAnother(before: Settings, now: Settings): boolean {
  return (['count', 'seed', 'renderer', 'view', 'backend'] as const).some((key) => before[key] !== now[key]);
}

/** Ends the field, and shows a card instead. Some browsers have WebGPU only in pages: there it restarts in the page. */
export function fail(issues: Issues): void {
  const isForWantOfGpu = issues.some(({ code }) => code === 'DEVICE_UNAVAILABLE');
  if (isForWantOfGpu && inWorker.value && 'gpu' in navigator) return moveField(false);
  port?.close();
  [failed.value, busy.value] = [issues, undefined];
  pageRuns(() => undefined); // the card stays
}

let keeping: ReturnType<typeof setTimeout> | undefined;

/** Keeps the page's address a link to the chosen settings. */
function keepLink(): void {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const { tier, yaw, pitch } = link;
    const query = writeLink(chosen.value, { worker: chosenWorker.value, tier, yaw, pitch });
    history.replaceState(null, '', query === '' ? location.pathname : `?${query}`);
  }, 300);
}

/** Returns a link to this view: the chosen settings, and the camera. */
export function linkHere(): string {
  const here = writeLink(
    { ...told.value, ...chosen.value },
    { worker: chosenWorker.value, tier: link.tier, yaw: look?.yaw, pitch: look?.pitch },
  );
  return new URL(`?${here}`, location.href).href;
}
