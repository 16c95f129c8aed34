import { useMemo } from 'preact/hooks';
import type { ControllerModel } from '../../src/controller/index.ts';
import { shortReference } from '../../src/diagram/text.ts';
import type { LayerState } from '../../src/index.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';
import type { Watched, WatchedParameter } from '../protocol.ts';
import { Slider, Toggle } from './controls.tsx';
import { MachineView } from './machine-view.tsx';
import { rangesOf } from './parameter-ranges.ts';
import { send, troops, watched } from './state.ts';

const OWN: readonly ControllerModel[] = [LEGIONARY, RAIDER].map(soldierController);

/** The selected soldier: its state machine, and parameters that can be set by hand. */
export function SoldierSection() {
  const soldier = watched.value;
  if (!soldier) {
    return <p class="quiet">Click or tap a soldier to see its state machine here.</p>;
  }
  const model = OWN[soldier.troop] ?? troops.value[soldier.troop]?.controller;
  return (
    <div class="soldier">
      <Head soldier={soldier} />
      {soldier.state && (
        <div class="layers">
          {soldier.state.layers.map((layer) => (
            <LayerRow key={layer.name} layer={layer} />
          ))}
        </div>
      )}
      {model && <MachineView key={soldier.troop} model={model} state={soldier.state} />}
      {soldier.parameters.length > 0 && <Parameters soldier={soldier} model={model} />}
      {soldier.clips.length > 0 && <Clips clips={soldier.clips} />}
    </div>
  );
}

function Head({ soldier }: { readonly soldier: Watched }) {
  const [x, , z] = soldier.position;
  return (
    <header>
      <div>
        <h3>
          {soldier.name} <span class="number quiet">#{soldier.id}</span>
        </h3>
        <p class="quiet number">
          at {x.toFixed(1)}, {z.toFixed(1)} m
        </p>
      </div>
      {soldier.troop < 2 && (
        <Toggle
          label="Take control"
          title="The battle no longer directs this soldier: you set its parameters"
          value={soldier.held}
          onChange={(held) => send({ kind: 'hold', held })}
        />
      )}
      <button
        type="button"
        class="close"
        aria-label="Close this soldier's panel"
        onClick={() => send({ kind: 'release' })}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 3l10 10M13 3L3 13" />
        </svg>
      </button>
    </header>
  );
}

/** The states and clips of one layer, with phases and weights. */
function LayerRow({ layer }: { readonly layer: LayerState }) {
  const { name, state, phase, next, nextPhase, progress, motions, frozen } = layer;
  return (
    <div class="layer-row">
      <span class="quiet">{name}</span>
      <span class="states">
        <State name={frozen ? `${state} (blend)` : (state ?? '…')} phase={phase} />
        {next !== null && (
          <>
            <span class="number way" aria-label="transition">
              → {Math.round(100 * progress)} % →
            </span>
            <State name={next} phase={nextPhase} />
          </>
        )}
      </span>
      <span class="clips">
        {motions.slice(0, 6).map(({ clip, weight }, i) => (
          <span
            key={`${clip} ${i}`}
            title={`${clip}: ${(100 * weight).toFixed(0)} %`}
            style={{ '--weight': String(weight) }}
          >
            {shortReference(clip)} <b class="number">{(100 * weight).toFixed(0)} %</b>
          </span>
        ))}
      </span>
    </div>
  );
}

function State({ name, phase }: { readonly name: string; readonly phase: number }) {
  return (
    <span class="state" style={{ '--phase': String(phase) }}>
      {name}
    </span>
  );
}

function Parameters({ soldier, model }: { readonly soldier: Watched; readonly model: ControllerModel | undefined }) {
  const ranges = useMemo(() => (model ? rangesOf(model) : new Map<string, readonly [number, number]>()), [model]);
  return (
    <div class="parameters">
      <h4>Parameters</h4>
      {soldier.parameters.map((parameter) => (
        <Parameter key={parameter.name} parameter={parameter} range={ranges.get(parameter.name) ?? [-1, 1]} />
      ))}
    </div>
  );
}

function Parameter({
  parameter: { name, type, value },
  range: [least, most],
}: {
  readonly parameter: WatchedParameter;
  readonly range: readonly [number, number];
}) {
  const set = (value: number) => send({ kind: 'parameter', name, value });
  if (type === 'trigger') {
    return (
      <button type="button" class={value ? 'trigger set' : 'trigger'} onClick={() => send({ kind: 'trigger', name })}>
        {name}
      </button>
    );
  }
  if (type === 'bool') return <Toggle label={name} value={value !== 0} onChange={(on) => set(Number(on))} />;
  const isWhole = type === 'int';
  return (
    <Slider
      label={name}
      value={value}
      shown={isWhole ? String(value) : value.toFixed(2)}
      min={Math.min(least, value)}
      max={Math.max(most, value)}
      step={isWhole ? 1 : (most - least) / 200}
      onInput={set}
    />
  );
}

function Clips({ clips }: { readonly clips: readonly string[] }) {
  return (
    <div class="parameters">
      <h4>No controller runs. Choose a clip:</h4>
      <div class="clip-list">
        {clips.map((clip) => (
          <button type="button" key={clip} onClick={() => send({ kind: 'play', clip })}>
            {clip}
          </button>
        ))}
      </div>
    </div>
  );
}
