import type { JSX } from 'preact';
import type { CharacterState } from './character-state.ts';
import { INFLUENCE_COLOURS, NONE, RAMP_GRADIENT } from './colours.ts';
import { millimetres } from './format.ts';
import { countText } from '../numbers.ts';

/** Meaning of the colours on the mesh. */
export function Legend({ state }: { readonly state: CharacterState }): JSX.Element | null {
  const mode = state.mode.value;
  if (mode === 'material') return null;
  return (
    <div class="legend" role="group" aria-label="Legend">
      {mode === 'error' ? (
        <ErrorLegend state={state} />
      ) : mode === 'influences' ? (
        <InfluenceLegend state={state} />
      ) : (
        <WeightLegend state={state} />
      )}
    </div>
  );
}

function ErrorLegend({ state }: { readonly state: CharacterState }): JSX.Element {
  if (!state.subject.model) return <p>Baked files have no source keys to compare with.</p>;
  const scale = state.errorScale.value;
  const error = state.error.value;
  return (
    <>
      <p class="legend-title">Distance that packing moved each vertex</p>
      <Ramp labels={['0', millimetres(scale / 2), millimetres(scale)]} />
      <p aria-live="off">
        Largest now: vertex <b>{error ? millimetres(error.vertex) : '…'}</b>, joint{' '}
        <b>{error ? millimetres(error.joint) : '…'}</b>
      </p>
      {state.measured.value > 0 && (
        <p class="muted">Packing measured at most {millimetres(state.measured.value)} in this clip.</p>
      )}
    </>
  );
}

function InfluenceLegend({ state }: { readonly state: CharacterState }): JSX.Element {
  const { influenceHistogram: histogram } = state.character;
  const last = INFLUENCE_COLOURS.length - 1;
  const counts = INFLUENCE_COLOURS.map((_, i) =>
    i < last ? (histogram[i] ?? 0) : histogram.slice(last).reduce((sum, each) => sum + each, 0),
  );
  return (
    <>
      <p class="legend-title">Joints per vertex</p>
      <ul>
        {INFLUENCE_COLOURS.map((colour, i) => (
          <li key={colour}>
            <Swatch colour={colour} /> {i}
            {i === last ? ' or more' : ''} <span class="muted">{countText(counts[i]!)} vertices</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function WeightLegend({ state }: { readonly state: CharacterState }): JSX.Element {
  const joint = state.joint.value;
  if (joint === undefined) return <p>Choose a joint in the skeleton, or click one on the model.</p>;
  return (
    <>
      <p class="legend-title">Weight of {state.character.joints[joint]!.name || `joint ${joint}`}</p>
      <Ramp labels={['0', '½', '1']} />
      <p>
        <Swatch colour={NONE} /> not moved by this joint
      </p>
      <p class="muted">
        {state.moved.value === undefined ? '…' : `This joint moves ${countText(state.moved.value)} vertices`}
      </p>
    </>
  );
}

function Ramp({ labels }: { readonly labels: readonly string[] }): JSX.Element {
  return (
    <div class="ramp">
      <div style={{ background: RAMP_GRADIENT }} />
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </div>
  );
}

function Swatch({ colour }: { readonly colour: string }): JSX.Element {
  return <i class="swatch" style={{ background: colour }} aria-hidden="true" />;
}
