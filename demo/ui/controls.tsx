import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A choice between a few options. */
export function Segments<T extends string>({
  label,
  options,
  value,
  onChoose,
}: {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly text: string; readonly title?: string }[];
  readonly value: T | undefined;
  readonly onChoose: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div class="row">
        {options.map((option) => (
          <label key={option.value} title={option.title}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A slider for a number; `shown` is its text. */
export function Slider({
  label,
  value,
  shown,
  min,
  max,
  step,
  onInput,
  onChange,
  hint,
}: {
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Called during a drag. */
  readonly onInput?: (value: number) => void;
  /** Called at the end of a drag. */
  readonly onChange?: (value: number) => void;
  readonly hint?: ComponentChildren;
}) {
  const id = useId();
  const share = max > min ? (value - min) / (max - min) : 0;
  return (
    <div class="slider">
      <label for={id}>
        {label}
        {hint}
      </label>
      <output for={id}>{shown}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        style={{ '--share': String(share) }}
        aria-valuetext={shown}
        onInput={(event) => onInput?.(Number(event.currentTarget.value))}
        onChange={(event) => onChange?.(Number(event.currentTarget.value))}
      />
    </div>
  );
}

export function Toggle({
  label,
  value,
  onChange,
  title,
  disabled = false,
}: {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly title?: string | undefined;
  readonly disabled?: boolean;
}) {
  return (
    <label class="toggle" title={title}>
      <input
        type="checkbox"
        role="switch"
        checked={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** A question mark that explains, by pointer, touch and keyboard. */
export function Hint({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <details class="hint">
      <summary aria-label={label}>?</summary>
      <div class="hint-text">{children}</div>
    </details>
  );
}
