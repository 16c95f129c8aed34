import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { issuesOf } from '../../src/errors.ts';
import { IssueCards } from '../files/issue-cards.tsx';
import type { Subject } from './character-state.ts';
import { RunningController } from './controller-state.ts';
import { Diagram } from './diagram.tsx';
import { items } from './library.ts';
import { LiveLayers } from './live-layers.tsx';
import { Parameters } from './parameters.tsx';
import type { ControllerItem } from './simulation.ts';
import './controller-view.css';

/** A controller: its diagram with active states, its parameters, and the character that runs it. */
export function ControllerView({ item }: { readonly item: ControllerItem }): JSX.Element {
  const characters = items.value.filter((each) => each.kind === 'character');
  const state = useMemo(() => new RunningController(item, characters.at(-1)), [item]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const actor = state.actor.value;
  const isWide = useSignal(false);
  useEffect(() => runOn(canvas.current!, state), [state, actor]);
  const issues = [...state.issues.value, ...item.issues];
  return (
    <div class="controller">
      <Diagram state={state} isWide={isWide} />
      <div class="side">
        <section class="actor" aria-label="Simulation">
          <div class="row">
            <label>
              Runs on
              <select
                value={actor ? characters.indexOf(actor) : 'none'}
                onChange={({ currentTarget: { value } }) => (state.actor.value = characters[Number(value)])}
              >
                <option value="none">No character (states only)</option>
                {characters.map(({ name }, index) => (
                  <option key={index} value={index}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              aria-pressed={!state.isPlaying.value}
              onClick={() => (state.isPlaying.value = !state.isPlaying.value)}
            >
              {state.isPlaying.value ? 'Pause' : 'Resume'}
            </button>
          </div>
          <canvas
            key={nameOf(actor)}
            ref={canvas}
            hidden={!actor}
            tabIndex={0}
            role="img"
            aria-label={`${nameOf(actor)} running the controller`}
          />
        </section>
        <Parameters state={state} />
        <LiveLayers state={state} />
        {issues.length > 0 && <IssueCards title={`Problems found in ${item.name}`} issues={issues} />}
      </div>
    </div>
  );
}

function nameOf(actor: Subject | undefined): string {
  return actor?.name ?? 'no character';
}

/** Loads the code of the simulation, then starts it. Returns a function that stops it. */
function runOn(canvas: HTMLCanvasElement, state: RunningController): () => void {
  let isOver = false;
  let end: (() => void) | undefined;
  import('./controller-stage.ts')
    .then(({ openControllerStage }) => openControllerStage(canvas, state))
    .then((close) => (isOver ? close() : (end = close)))
    .catch((thrown: unknown) => (state.issues.value = issuesOf(thrown)));
  return () => {
    isOver = true;
    end?.();
  };
}
