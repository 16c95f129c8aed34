import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { controllerDiagram } from '../../src/diagram/index.ts';
import type { LayerState } from '../../src/index.ts';
import type { RunningController } from './controller-state.ts';

/** The controller's diagram, in which the active states are marked. */
export function Diagram({
  state,
  isWide,
}: {
  readonly state: RunningController;
  readonly isWide: Signal<boolean>;
}): JSX.Element {
  const { controller } = state.item;
  // the diagram escapes all names from the file
  const svg = useMemo(() => ({ __html: controllerDiagram(controller) }), [controller]);
  const host = useRef<HTMLDivElement>(null);
  const layers = state.live.value?.layers;
  useEffect(() => mark(host.current!, layers ?? []), [layers, svg]);
  return (
    <section class="diagram" aria-label="Diagram">
      <div class="diagram-tools">
        <span class="muted">Outlined in red: active states</span>
        <button type="button" onClick={() => (isWide.value = !isWide.value)}>
          {isWide.value ? 'Fit to width' : 'Full size'}
        </button>
      </div>
      {/* scrolled by keys, so it has to take the focus */}
      <div ref={host} class={`drawing ${isWide.value ? 'is-wide' : ''}`} tabIndex={0} dangerouslySetInnerHTML={svg} />
    </section>
  );
}

/** Marks boxes and arrows by the attributes that diagrams name them with. */
function mark(host: HTMLElement, layers: readonly LayerState[]): void {
  const wanted = new Map<Element, string>();
  layers.forEach(({ state, next }, index) => {
    const panel = host.querySelector(`[data-layer="${index}"]`);
    const box = (path: string | null): Element | null | undefined =>
      path === null ? undefined : panel?.querySelector(`[data-id=${CSS.escape(`state ${path}`)}]`);
    const [from, to] = [box(state), box(next)];
    if (from) wanted.set(from, 'is-active');
    if (to) wanted.set(to, 'is-next');
  });
  for (const old of host.querySelectorAll('.is-active, .is-next')) {
    if (!wanted.has(old)) old.classList.remove('is-active', 'is-next');
  }
  for (const [element, name] of wanted) {
    element.classList.remove(name === 'is-active' ? 'is-next' : 'is-active');
    element.classList.add(name);
  }
}
