import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { ControllerModel } from '../../src/controller/index.ts';
import type { ControllerState } from '../../src/index.ts';
import { inDiagram, type Overlay, overlayOn } from './machine-overlay.ts';
import { prefersStillness } from './state.ts';

/** Screen pixels per diagram pixel: for reading everything; the least for labels, for all names, and at all. */
const [READABLE, LABELS, NAMES, SMALLEST] = [0.85, 0.65, 0.28, 0.1];
/** Screen pixels around the machine when all of it is shown. */
const EDGE = 12;
/** Share of the distance to its goal that the window moves per frame. */
const GLIDE = 0.16;

interface Window {
  /** Middle, in pixels of the diagram. */
  x: number;
  y: number;
  /** Screen pixels per diagram pixel. */
  scale: number;
}

/** A controller's diagram, with the states and transitions that one character is in now. */
// oxlint-disable-next-line max-lines-per-function
export function MachineView({
  model,
  state,
}: {
  readonly model: ControllerModel;
  readonly state: ControllerState | undefined;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<
    { readonly svg: SVGSVGElement; readonly overlay: Overlay; readonly bounds: DOMRect } | undefined
  >(undefined);
  const window = useRef<Window>({ x: 0, y: 0, scale: READABLE });
  const goal = useRef<Window>({ x: 0, y: 0, scale: READABLE });
  const gliding = useRef<number | undefined>(undefined);
  const follows = useSignal(true);
  const isLarge = useSignal(false);

  useEffect(() => {
    let isGone = false;
    void import('../../src/diagram/index.ts').then(({ controllerDiagram }) => {
      if (isGone || !holder.current) return;
      holder.current.innerHTML = controllerDiagram(model);
      const svg = holder.current.querySelector('svg')!;
      drawn.current = { svg, overlay: overlayOn(svg), bounds: boundsOf(svg) };
      fit();
    });
    return () => {
      isGone = true;
      drawn.current = undefined;
    };
  }, [model]);

  useEffect(() => {
    if (!drawn.current || !state) return;
    const box = drawn.current.overlay.show(state);
    if (!box || !follows.value) return;
    goal.current = { x: box.x + box.width / 2, y: box.y + box.height / 2, scale: READABLE };
    gliding.current ??= requestAnimationFrame(glide);
  });
  useEffect(() => () => cancelAnimationFrame(gliding.current ?? 0), []);

  /** Moves the window towards its goal, frame by frame. */
  function glide(): void {
    gliding.current = undefined;
    if (!follows.value) return;
    const { current } = window;
    const share = prefersStillness() ? 1 : GLIDE;
    const left = (['x', 'y', 'scale'] as const).map((key) => {
      current[key] += share * (goal.current[key] - current[key]);
      return Math.abs(goal.current[key] - current[key]);
    });
    apply();
    if (left.some((much) => much >= 0.01)) gliding.current = requestAnimationFrame(glide);
  }

  function apply(): void {
    const { current: div } = holder;
    if (!div || !drawn.current) return;
    const { x, y, scale } = window.current;
    const [width, height] = [div.clientWidth / scale, div.clientHeight / scale];
    drawn.current.svg.setAttribute('viewBox', `${x - width / 2} ${y - height / 2} ${width} ${height}`);
    drawn.current.svg.setAttribute('width', '100%');
    drawn.current.svg.setAttribute('height', '100%');
    // at small scales shows only names, at a constant size on the screen
    drawn.current.svg.classList.toggle('is-far', scale < LABELS);
    drawn.current.svg.classList.toggle('is-farther', scale < NAMES);
    drawn.current.svg.style.setProperty('--scale', String(scale));
  }

  /** Shows the machines of all layers. */
  function fit(): void {
    const { current: div } = holder;
    if (!div || !drawn.current) return;
    const { x, y, width, height } = drawn.current.bounds;
    const scales = [(div.clientWidth - 2 * EDGE) / width, (div.clientHeight - 2 * EDGE) / height];
    const scale = Math.min(READABLE, Math.max(SMALLEST, Math.min(...scales)));
    window.current = { x: x + width / 2, y: y + height / 2, scale };
    apply();
  }

  function move(dx: number, dy: number): void {
    follows.value = false;
    window.current.x -= dx / window.current.scale;
    window.current.y -= dy / window.current.scale;
    apply();
  }

  function zoom(factor: number): void {
    follows.value = false;
    window.current.scale = Math.min(2, Math.max(SMALLEST, window.current.scale * factor));
    apply();
  }

  function enlarge(large: boolean): void {
    isLarge.value = large;
    requestAnimationFrame(large ? showAll : apply);
  }

  function showAll(): void {
    follows.value = false;
    fit();
  }

  return (
    <div class={`machine${isLarge.value ? ' large' : ''}`} onKeyDown={(event) => closeBy(event)}>
      <div class="machine-tools" role="group" aria-label="State machine">
        <button type="button" aria-pressed={follows.value} onClick={() => (follows.value = !follows.value)}>
          Follow
        </button>
        <button type="button" onClick={() => (isLarge.value ? showAll() : enlarge(true))}>
          Show all
        </button>
        <button type="button" class="sign" aria-label="Zoom out" onClick={() => zoom(1 / 1.4)}>
          −
        </button>
        <button type="button" class="sign" aria-label="Zoom in" onClick={() => zoom(1.4)}>
          +
        </button>
        {isLarge.value && (
          <button type="button" class="main" onClick={() => enlarge(false)}>
            Close
          </button>
        )}
      </div>
      <div
        ref={holder}
        class="machine-picture"
        tabIndex={0}
        role="group"
        aria-label="Diagram. Drag or use arrow keys to move it; scroll, plus or minus to zoom."
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => event.buttons & 1 && move(event.movementX, event.movementY)}
        onWheel={(event) => {
          event.preventDefault();
          zoom(2 ** (-event.deltaY / 400));
        }}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          if (step) move(...step);
          else if (event.key === '+') zoom(1.2);
          else if (event.key === '-') zoom(1 / 1.2);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );

  function closeBy(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isLarge.value) return;
    event.stopPropagation();
    enlarge(false);
  }
}

/** Where the layers of a diagram are, without its parameters and legend. */
function boundsOf(svg: SVGSVGElement): DOMRect {
  const boxes = [...svg.querySelectorAll<SVGGElement>('g.layer')].flatMap((layer) => inDiagram(svg, layer) ?? []);
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
  return boxes.length > 0 ? new DOMRect(left, top, right - left, bottom - top) : svg.getBBox();
}

const STEPS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [40, 0],
  ArrowRight: [-40, 0],
  ArrowUp: [0, 40],
  ArrowDown: [0, -40],
};
