import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CharacterModel } from '../../src/character/index.ts';
import { bodyChart } from '../../src/diagram/body-chart.ts';
import { type FootCurves, footSlideChart } from '../../src/diagram/foot-slide.ts';
import { humanoidFacts } from '../../src/humanoid/index.ts';
import type { CharacterState } from './character-state.ts';

const WIDTH = 372;

/** Bones of the character; for a clip of another file also its source's bones, and the slide of feet over time. */
export function BonesPanel({ state }: { readonly state: CharacterState }): JSX.Element {
  const { model } = state.subject;
  const origin = state.origin.value;
  const feet = origin?.report.feet;
  return (
    <div class="bones">
      {feet && <FootSlide state={state} clip={origin.report.clip} feet={feet} />}
      {model ? (
        <BodyChart model={model} />
      ) : (
        <p class="empty">The file is baked. The bones of its source are in the file that it was baked from.</p>
      )}
      {origin && <BodyChart model={origin.model} />}
    </div>
  );
}

function BodyChart({ model }: { readonly model: CharacterModel }): JSX.Element {
  const { name, joints, humanoid } = model;
  // the chart escapes all names from the file
  const svg = useMemo(
    () => ({ __html: bodyChart({ name, ...humanoidFacts(joints, humanoid) }, WIDTH) }),
    [name, joints, humanoid],
  );
  return <div class="chart" dangerouslySetInnerHTML={svg} />;
}

/** Foot slide over the clip, with a line at the time that is shown. */
function FootSlide({
  state,
  clip,
  feet,
}: {
  readonly state: CharacterState;
  readonly clip: string;
  readonly feet: FootCurves;
}): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const svg = useMemo(() => ({ __html: footSlideChart(clip, feet, WIDTH) }), [clip, feet]);
  const share = state.duration.value > 0 ? state.time.value / state.duration.value : 0;
  useEffect(() => {
    const [now, times] = ['.now', '.times'].map((name) => host.current!.querySelector(name));
    const [left, width] = ['x', 'width'].map((name) => Number(times?.getAttribute(name)));
    for (const name of ['x1', 'x2']) now?.setAttribute(name, String(left! + share * width!));
    now?.setAttribute('visibility', 'visible');
  }, [share, svg]);
  return <div class="chart" ref={host} dangerouslySetInnerHTML={svg} />;
}
