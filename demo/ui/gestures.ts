import { send, settings, wish } from './state.ts';

/** Radians per height of the canvas. */
const TURN = 2.4;
/** Zoom per pixel of a wheel, of a trackpad's pinch, and per doubling of the distance between two fingers. */
const [WHEEL, PINCH, SPREAD] = [0.0005, 0.005, 0.11];
/** Pixels that a finger may slip, and milliseconds that two taps may be apart. */
const [SLIP, TWICE] = [6, 320];
/** Pixels by which a click may miss, and a finger. */
const [MOUSE_REACH, FINGER_REACH] = [10, 32];
/** Step of one key press: radians, zoom, picture heights. */
const [KEY_TURN, KEY_ZOOM, KEY_PAN] = [0.09, 0.03, 0.06];

interface Finger {
  x: number;
  y: number;
}

/** Pointer, wheel, touch and keys on the battlefield become commands to its camera. Returns a function that stops it. */
export function followGestures(canvas: HTMLCanvasElement, onTouched: () => void): () => void {
  const fingers = new Map<number, Finger>();
  const ending = new AbortController();
  const { signal } = ending;
  let slipped = 0;
  let isPanning = false;
  let lastTap = { at: -Infinity, x: 0, y: 0 };

  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      onTouched();
      canvas.setPointerCapture(event.pointerId);
      if (fingers.size === 0) slipped = 0;
      isPanning = event.button === 1 || event.button === 2 || event.shiftKey;
      fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const before = { ...finger };
      Object.assign(finger, { x: event.offsetX, y: event.offsetY });
      const [dx, dy] = [finger.x - before.x, finger.y - before.y];
      slipped += Math.hypot(dx, dy);
      if (slipped <= SLIP) return;
      const height = canvas.clientHeight;
      const other = [...fingers.values()].find((each) => each !== finger);
      if (other) {
        const [was, is] = [before, finger].map(({ x, y }) => Math.hypot(x - other.x, y - other.y)) as [number, number];
        if (was > 0 && is > 0) zoomBy(SPREAD * Math.log2(is / was));
        send({ kind: 'pan', right: -dx / 2 / height, up: dy / 2 / height });
      } else if (isPanning) send({ kind: 'pan', right: -dx / height, up: dy / height });
      else send({ kind: 'orbit', yaw: (-TURN * dx) / height, pitch: (TURN * dy) / height });
    },
    { signal },
  );
  const lift = (event: PointerEvent) => {
    const wasOne = fingers.size === 1;
    if (!fingers.delete(event.pointerId) || event.type === 'pointercancel') return;
    if (slipped > SLIP || !wasOne || isPanning) return;
    const [x, y] = [event.offsetX, event.offsetY];
    const isSecond = event.timeStamp - lastTap.at < TWICE && Math.hypot(x - lastTap.x, y - lastTap.y) < 24;
    lastTap = isSecond ? { at: -Infinity, x, y } : { at: event.timeStamp, x, y };
    send({ kind: 'pick', x, y, reach: event.pointerType === 'mouse' ? MOUSE_REACH : FINGER_REACH, go: isSecond });
  };
  canvas.addEventListener('pointerup', lift, { signal });
  canvas.addEventListener('pointercancel', lift, { signal });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      onTouched();
      const pixels = event.deltaMode === 1 ? 16 * event.deltaY : event.deltaY;
      zoomBy(-pixels * (event.ctrlKey ? PINCH : WHEEL));
    },
    { signal, passive: false },
  );
  canvas.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      onTouched();
      act();
    },
    { signal },
  );
  return () => ending.abort();
}

function zoomBy(change: number): void {
  const zoom = settings.value?.zoom;
  if (zoom !== undefined) wish({ zoom: Math.min(1, Math.max(0, zoom + change)) });
}

const turn = (yaw: number, pitch: number) => () =>
  send({ kind: 'orbit', yaw: yaw * KEY_TURN, pitch: pitch * KEY_TURN });
const pan = (right: number, up: number) => () => send({ kind: 'pan', right: right * KEY_PAN, up: up * KEY_PAN });

const KEYS: Readonly<Record<string, () => void>> = {
  ArrowLeft: turn(-1, 0),
  ArrowRight: turn(1, 0),
  ArrowUp: turn(0, 1),
  ArrowDown: turn(0, -1),
  w: pan(0, 1),
  s: pan(0, -1),
  a: pan(-1, 0),
  d: pan(1, 0),
  '+': () => zoomBy(KEY_ZOOM),
  '=': () => zoomBy(KEY_ZOOM),
  '-': () => zoomBy(-KEY_ZOOM),
  PageUp: () => zoomBy(3 * KEY_ZOOM),
  PageDown: () => zoomBy(-3 * KEY_ZOOM),
  ' ': () => wish({ paused: !settings.value?.paused }),
  Enter: () => send({ kind: 'pickNearest' }),
  Escape: () => send({ kind: 'release' }),
};
