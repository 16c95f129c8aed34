import type { JSX } from 'preact';
import type { RunningController } from './controller-state.ts';

/** Every parameter of a controller. They can be set while it runs. */
export function Parameters({ state }: { readonly state: RunningController }): JSX.Element {
  const parameters = Object.entries(state.item.controller.parameters);
  return (
    <section class="parameters" aria-label="Parameters">
      <h2>Parameters</h2>
      {parameters.length === 0 && <p class="empty">This controller has no parameters.</p>}
      <ul>
        {parameters.map(([name, { type }]) => (
          <li key={name}>
            {type === 'trigger' ? (
              <button type="button" onClick={() => state.trigger(name)}>
                {name}
                {state.live.value?.triggers.includes(name) ? ' (set)' : ''}
              </button>
            ) : (
              <label>
                <span>{name}</span>
                <Field name={name} type={type} state={state} />
              </label>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FieldProps {
  readonly name: string;
  readonly type: 'float' | 'int' | 'bool';
  readonly state: RunningController;
}

function Field({ name, type, state }: FieldProps): JSX.Element {
  const value = state.values.value.get(name) ?? 0;
  if (type === 'bool') {
    return (
      <input
        type="checkbox"
        checked={value !== 0}
        onChange={(event) => state.set(name, event.currentTarget.checked ? 1 : 0)}
      />
    );
  }
  return (
    <input
      type="number"
      step={type === 'int' ? 1 : 'any'}
      value={value}
      onInput={({ currentTarget: { valueAsNumber } }) => {
        if (Number.isFinite(valueAsNumber)) state.set(name, type === 'int' ? Math.trunc(valueAsNumber) : valueAsNumber);
      }}
    />
  );
}
