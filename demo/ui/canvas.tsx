import { useEffect, useRef } from 'preact/hooks';
import type { CanvasSize } from '../protocol.ts';
import { followGestures } from './gestures.ts';
import { generation, isDrawn, isTouched, openOn, send } from './state.ts';

/** The battlefield, with a new canvas for each field. */
export function Battlefield() {
  return <FieldCanvas key={generation.value} />;
}

/** Measures the covered parts of the canvas: the panel at the side or bottom, a soldier's card at the left. */
function coveredParts(canvas: HTMLCanvasElement): CanvasSize['covered'] {
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const [panel, card] = [box('.panel .sections'), box('.section.soldier')];
  const isBelow = panel.width > 0.9 * canvas.clientWidth;
  if (isBelow) return { left: 0, right: 0, bottom: canvas.clientHeight - panel.top };
  return { left: card.right, right: panel.width, bottom: 0 };
}

function FieldCanvas() {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current!;
    const size = (): CanvasSize => ({
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      pixelRatio: Math.min(2, devicePixelRatio),
      covered: coveredParts(canvas),
    });
    openOn(canvas, size());
    const observer = new ResizeObserver(() => send({ kind: 'resize', size: size() }));
    observer.observe(canvas);
    for (const part of document.querySelectorAll('.panel .sections, .section.soldier')) observer.observe(part);
    const stop = followGestures(canvas, () => (isTouched.value = true));
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);
  return (
    <canvas
      ref={ref}
      class={`field${isDrawn.value ? ' drawn' : ''}`}
      tabIndex={0}
      role="application"
      aria-label="Battlefield"
      aria-describedby="field-help"
    />
  );
}
