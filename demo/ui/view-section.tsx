import { useId } from 'preact/hooks';
import type { ShownView } from '../../src/render/index.ts';
import { type BackendName, type RendererName, VIEWS } from '../protocol.ts';
import { hasWorkerCanvas } from '../field/connect.ts';
import { CameraControls } from './battle-section.tsx';
import { Hint, Segments, Slider, Toggle } from './controls.tsx';
import { adapter, figures, inWorker, moveField, notes, settings, wish } from './state.ts';

/** What each view shows, in words. */
const LEGENDS: Readonly<Record<ShownView, readonly [name: string, legend: string]>> = {
  color: ['Light', ''],
  level: ['Level of detail', '0 green, 1 yellow, 2 orange, 3 red'],
  rate: [
    'Pose rate',
    'posed in every frame green, every 2nd yellow, 4th orange, 8th red; dim: kept its pose in this one',
  ],
  slot: ['Vertex slots', 'a colour for each slot of vertex memory'],
  bounds: ['Bounds', 'spheres that no pose leaves: what culling goes by'],
  joints: ['Joints', 'bones, from each joint to those below it'],
  ids: ['Ids', 'a colour for each soldier, shades of it for parts'],
  overdraw: ['Overdraw', 'triangles over each other: 1 brown, 8 orange, 28 yellow'],
  velocity: ['Motion vectors', 'hue: direction; strength: speed on the screen'],
  depth: ['Depth', 'white at the eye, darker farther away'],
  normals: ['Normals', 'x, y, z of the surface’s normal as red, green, blue'],
};

const RENDERER_CHOICES: readonly { readonly value: RendererName; readonly text: string; readonly title: string }[] = [
  { value: 'visibility', text: 'Visibility', title: 'Finds out which triangle each pixel shows, and lights it once' },
  { value: 'forward', text: 'Forward', title: 'Plain draws, four samples a pixel' },
  { value: 'three', text: 'three.js', title: 'The same crowd in a scene of three.js, lit and shadowed by it' },
];

const BACKEND_CHOICES: readonly { readonly value: BackendName; readonly text: string; readonly title: string }[] = [
  { value: 'gpu', text: 'GPU', title: 'Kernels animate and skin everyone' },
  { value: 'cpu', text: 'CPU', title: 'The same battle goes on in the kernels’ twins, in TypeScript' },
  {
    value: 'difference',
    text: 'Difference',
    title: 'Both, from the same moment on; what differs is shown, times eight',
  },
];

/** How the battle is looked at. */
export function ViewSection() {
  const view = useId();
  const current = settings.value;
  if (!current) return null;
  const [, legend] = LEGENDS[current.view];
  return (
    <>
      <CameraControls />
      <Segments
        label="Renderer"
        options={RENDERER_CHOICES}
        value={current.renderer}
        onChoose={(renderer) => wish({ renderer })}
      />
      <div class="field-row">
        <label for={view}>Shows</label>
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
        label="Computed on"
        options={BACKEND_CHOICES}
        value={current.backend}
        onChoose={(backend) => wish({ backend })}
      />
      <DifferenceFigures />
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
          label="In a worker"
          value={inWorker.value}
          title="Computes and draws beside the page, on an OffscreenCanvas; switching begins the battle anew"
          onChange={(toWorker) => (hasWorkerCanvas() || !toWorker) && moveField(toWorker)}
        />
        <Hint label="What running in a worker means">
          The battle runs beside the page, on an OffscreenCanvas: the page stays quick whatever the battle does.
          Switching begins it anew.
        </Hint>
      </div>
      <AdapterNote />
    </>
  );
}

function DifferenceFigures() {
  const difference = figures.value?.difference;
  if (settings.value?.backend !== 'difference' || !difference) return null;
  const { share, most, mean } = difference;
  return (
    <p class="figure-line" data-figure="difference">
      <strong>{share === 0 ? '0' : (100 * share).toPrecision(2)} %</strong> of the pixels differ, by {most} of 255 at
      most, {mean.toFixed(3)} on average. Shown times eight.
    </p>
  );
}

/** What computes, and what that means where it is no GPU. */
function AdapterNote() {
  const known = adapter.value;
  if (!known) return null;
  return (
    <p class={known.kind === 'software' ? 'note' : 'quiet'}>
      {known.kind === 'software' ? 'Software adapter: ' : ''}
      {known.name}
      {known.kind === 'software' &&
        '. Everything runs on the CPU here, slowly: few soldiers and a small picture to begin with.'}
    </p>
  );
}
