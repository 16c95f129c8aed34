import { useEffect, useRef } from 'preact/hooks';
import type { CanvasSize } from '../protocol.ts';
import { followGestures } from './gestures.ts';
import { generation, isTouched, openOn, send } from './state.ts';

/** The battlefield: a canvas of its own for each field that is opened. */
export function Battlefield() {
  return <FieldCanvas key={generation.value} />;
}

/** What the panel leaves of a canvas: beside it, or above where it lies at the bottom. */
function coveredBy(panel: Element | null, canvas: HTMLCanvasElement): CanvasSize['covered'] {
  const { width = 0, height = 0 } = panel?.getBoundingClientRect() ?? {};
  const isBelow = width > 0.9 * canvas.clientWidth;
  return { right: isBelow ? 0 : width, bottom: isBelow ? height : 0 };
}

function FieldCanvas() {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current!;
    const panel = document.querySelector('.panel .sections');
    const size = (): CanvasSize => ({
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      pixelRatio: Math.min(2, devicePixelRatio),
      covered: coveredBy(panel, canvas),
    });
    openOn(canvas, size());
    const observer = new ResizeObserver(() => send({ kind: 'resize', size: size() }));
    for (const each of [canvas, panel]) if (each) observer.observe(each);
    const stop = followGestures(canvas, () => (isTouched.value = true));
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);
  return (
    <canvas
      ref={ref}
      class="field"
      tabIndex={0}
      role="application"
      aria-label="Battlefield"
      aria-describedby="field-help"
    />
  );
}
