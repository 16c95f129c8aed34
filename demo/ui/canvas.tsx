import { useEffect, useRef } from 'preact/hooks';
import { followGestures } from './gestures.ts';
import { generation, isTouched, openOn, send } from './state.ts';

/** The battlefield: a canvas of its own for each field that is opened. */
export function Battlefield() {
  return <FieldCanvas key={generation.value} />;
}

function FieldCanvas() {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current!;
    const size = () => ({
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      pixelRatio: Math.min(2, devicePixelRatio),
    });
    openOn(canvas, size());
    const observer = new ResizeObserver(() => send({ kind: 'resize', size: size() }));
    observer.observe(canvas);
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
