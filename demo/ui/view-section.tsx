import { useId } from 'preact/hooks';
import type { ShownView } from '../../src/render/index.ts';
import { type BackendName, type RendererName, VIEWS } from '../protocol.ts';
import { hasWorkerCanvas } from '../field/connect.ts';
import { CameraControls } from './battle-section.tsx';
import { Hint, Segments, Slider, Toggle } from './controls.tsx';
import { adapter, figures, inWorker, moveField, notes, settings, shown, wish } from './state.ts';

/** Name of each view, and the meaning of its colours. */
const LEGENDS: Readonly<Record<ShownView, readonly [name: string, legend: string]>> = {
  color: ['Lit', ''],
  level: ['Level of detail', 'Green 0 (finest), yellow 1, orange 2, red 3.'],
  rate: [
    'Update rate',
    'Posed every frame green, every 2nd yellow, every 4th orange, every 8th red. Dim: not posed in this frame.',
  ],
  slot: ['Vertex slots', 'One colour for each slot of vertex memory.'],
  bounds: ['Bounds', 'Spheres that contain every pose. Culling tests them.'],
  joints: ['Joints', 'Lines from each joint to its children.'],
  ids: ['Ids', 'One colour for each soldier, in shades for its parts.'],
  overdraw: ['Overdraw', 'Triangles over each other: 1 brown, 8 orange, 28 yellow.'],
  velocity: ['Motion vectors', 'Hue is the direction, strength is the speed on the screen.'],
  depth: ['Depth', 'White is near, dark is far.'],
  normals: ['Normals', 'Red, green and blue are x, y and z of the surface normal.'],
};

const RENDERER_CHOICES: readonly { readonly value: RendererName; readonly text: string; readonly title: string }[] = [
  {
    value: 'visibility',
    text: 'Visibility',
    title: 'Finds the triangle that each pixel shows, then lights each pixel once',
  },
  { value: 'forward', text: 'Forward', title: 'Plain draws with four samples per pixel' },
  { value: 'three', text: 'three.js', title: 'The same crowd in a three.js scene, with three.js lights and shadows' },
];

const BACKEND_CHOICES: readonly { readonly value: BackendName; readonly text: string; readonly title: string }[] = [
  { value: 'gpu', text: 'GPU', title: 'WebGPU kernels animate and skin the crowd' },
  { value: 'cpu', text: 'CPU', title: 'TypeScript twins of the kernels continue the same battle' },
  {
    value: 'difference',
    text: 'Difference',
    title: 'Both run from the same moment, and the picture shows where they differ',
  },
];

/** Camera, renderer, and where the crowd is computed. */
export function ViewSection() {
  const current = shown.value;
  return (
    <>
      <CameraControls />
      {adapter.value?.tier !== 'webgl2' && <GpuChoices />}
      {notes.value.map((note) => (
        <p class="note" key={note} role="status">
          {note}
        </p>
      ))}
      <Slider
        label="Resolution"
        value={current.resolution}
        shown={`${Math.round(100 * current.resolution)} %`}
        min={0.1}
        max={1}
        step={0.05}
        onChange={(resolution) => wish({ resolution })}
      />
      <div class="row">
        <Toggle
          label="Run in worker"
          value={inWorker.value}
          onChange={(toWorker) => (hasWorkerCanvas() || !toWorker) && moveField(toWorker)}
        />
        <Hint label="About running in a worker">
          The battle runs off the main thread, on an OffscreenCanvas, so the page always responds at once. Switching
          starts a new battle.
        </Hint>
      </div>
      <AdapterNote />
    </>
  );
}

/** Choices that need WebGPU. */
function GpuChoices() {
  const view = useId();
  const current = shown.value;
  const [, legend] = LEGENDS[current.view];
  return (
    <>
      {adapter.value?.tier !== 'compatibility' && (
        <Segments
          label="Renderer"
          options={RENDERER_CHOICES}
          value={current.renderer}
          onChoose={(renderer) => wish({ renderer })}
        />
      )}
      <div class="field-row">
        <label for={view}>View</label>
        <select
          id={view}
          value={current.view}
          onChange={(event) => wish({ view: event.currentTarget.value as ShownView })}
        >
          {VIEWS.map((name) => (
            <option key={name} value={name}>
              {LEGENDS[name][0]}
            </option>
          ))}
        </select>
      </div>
      {legend && <p class="legend">{legend}</p>}
      <Segments
        label="Compute on"
        options={BACKEND_CHOICES}
        value={current.backend}
        onChoose={(backend) => wish({ backend })}
      />
      <DifferenceFigures />
    </>
  );
}

function DifferenceFigures() {
  const difference = figures.value?.difference;
  if (settings.value?.backend !== 'difference' || !difference) return null;
  const { share, most, mean } = difference;
  return (
    <>
      <p class="legend">
        <i class="swatch grey" aria-hidden="true" /> Grey is the GPU’s picture, dimmed: there both agree.{' '}
        <i class="swatch bright" aria-hidden="true" /> Bright colour is the difference to the CPU’s picture, times
        eight.
      </p>
      <p class="figure-line" data-figure="difference">
        <strong>{share === 0 ? '0' : (100 * share).toPrecision(2)} %</strong> of the pixels differ, by at most {most} of
        255, by {mean.toFixed(3)} on average.
      </p>
    </>
  );
}

const TIER_NAMES = {
  core: 'WebGPU, core level',
  compatibility: 'WebGPU, compatibility level',
  webgl2: 'WebGL 2',
} as const;

/** Name of the adapter, with a note if it is the CPU. */
function AdapterNote() {
  const known = adapter.value;
  if (!known) return null;
  return (
    <p class={known.kind === 'software' ? 'note' : 'quiet'}>
      {known.kind === 'software' ? 'Software adapter: ' : ''}
      {known.name}
      {known.kind === 'software' && '. Everything runs on the CPU here, so the battle starts small'}
      <span data-figure="tier">. {TIER_NAMES[known.tier]}.</span>
    </p>
  );
}
