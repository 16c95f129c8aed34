import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { FRAME } from './budget.ts';
import { stageColor } from './stage-colors.ts';
import { figures, timeline } from './state.ts';

const HEIGHT = 132;
/** Seconds that are shown. */
const SPAN = 10;
const [INK, GRID, LIMIT] = ['#9aa4b2', 'rgba(255,255,255,.07)', '#ff8f6b'];

/** Stacked GPU time of the last seconds' frames by stage, with a line at the limit for 60 frames a second. */
export function FrameChart() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const holder = ref.current!;
    let plot: uPlot | undefined;
    let shown = '';
    const observer = new ResizeObserver(() => plot?.setSize({ width: holder.clientWidth, height: HEIGHT }));
    observer.observe(holder);
    const stop = figures.subscribe(() => {
      const { stages } = timeline;
      if (holder.clientWidth === 0) return;
      if (stages.join() !== shown) {
        plot?.destroy();
        plot = stages.length > 0 ? createChart(holder, stages) : undefined;
        shown = stages.join();
      }
      plot?.setData(stacked(stages));
    });
    return () => {
      stop();
      observer.disconnect();
      plot?.destroy();
    };
  }, []);
  return <div ref={ref} class="chart" role="img" aria-label="GPU time of the last seconds' frames by stage" />;
}

function createChart(holder: HTMLElement, stages: readonly string[]): uPlot {
  const axis = { stroke: INK, grid: { stroke: GRID, width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return new uPlot(
    {
      width: holder.clientWidth,
      height: HEIGHT,
      padding: [8, 4, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_, __, last) => [last - SPAN, last] },
        y: { range: (_, __, most) => [0, Math.max(0.1, 1.15 * (most ?? 1))] },
      },
      axes: [
        {
          ...axis,
          size: 22,
          space: 60,
          values: (plot, ticks) => ticks.map((at) => `${Math.round(at - plot.scales.x!.max!)} s`),
        },
        { ...axis, size: 38, space: 28, values: (_, ticks) => ticks.map((time) => `${time}`) },
      ],
      series: [
        {},
        // from the top of the stack down: each covers what lies below its line
        ...[...stages].reverse().map((name) => ({
          label: name,
          stroke: stageColor(name),
          fill: stageColor(name),
          width: 0,
          points: { show: false },
        })),
      ],
      hooks: { draw: [drawLimit] },
    },
    stacked(stages),
    holder,
  );
}

/** Returns seconds, then cumulative sums of the stages, the last stage first. */
function stacked(stages: readonly string[]): uPlot.AlignedData {
  const { frames } = timeline;
  const columns = stages.map(() => Array.from(frames, () => 0));
  frames.forEach((frame, i) => {
    const times = new Map(frame.stages);
    let sum = 0;
    stages.forEach((name, stage) => {
      sum += times.get(name) ?? 0;
      columns[stage]![i] = sum;
    });
  });
  return [frames.map(({ at }) => at / 1000), ...columns.reverse()];
}

/** Draws the limit of 60 frames a second, if it is in the visible range. */
function drawLimit(plot: uPlot): void {
  const { ctx, bbox } = plot;
  if (plot.scales.y!.max! < FRAME) return;
  const y = plot.valToPos(FRAME, 'y', true);
  ctx.save();
  ctx.strokeStyle = LIMIT;
  ctx.fillStyle = LIMIT;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px system-ui`;
  // next to the axis the text does not fit
  if (bbox.top + bbox.height - y > 12 * devicePixelRatio)
    ctx.fillText('16.7 ms', bbox.left + 4 * devicePixelRatio, y - 4 * devicePixelRatio);
  ctx.restore();
}
