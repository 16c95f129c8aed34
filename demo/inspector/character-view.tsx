import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { IssueCards } from '../files/issue-cards.tsx';
import { CharacterState, type Subject } from './character-state.ts';
import { ClipTable } from './clip-table.tsx';
import { Facts } from './facts.tsx';
import { Legend } from './legend.tsx';
import { ModeChoice } from './mode-choice.tsx';
import { BonesPanel } from './bones-panel.tsx';
import { SkeletonTree } from './skeleton-tree.tsx';
import { SourcePicture } from './source-picture.tsx';
import { stageOn } from './stage-on.ts';
import { type TabName, Tabs } from './tabs.tsx';
import { Timeline } from './timeline.tsx';
import './character-view.css';

const HINT = 'Drag to turn, scroll or pinch to zoom. Keys: arrows turn, plus and minus zoom, 0 fits the model.';

/** A character: a picture that can be turned, its legend, a timeline of its clips, and panels with details. */
export function CharacterView({ subject }: { readonly subject: Subject }): JSX.Element {
  const state = useMemo(() => new CharacterState(subject), [subject]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const tab = useSignal<TabName>('skeleton');
  useEffect(() => stageOn(canvas.current!, state), [state]);
  const told = [...state.issues.value, ...subject.issues];
  const origin = state.origin.value;
  return (
    <div class={`character ${origin ? 'has-source' : ''}`}>
      {origin && <SourcePicture key={origin.report.clip} state={state} origin={origin} />}
      <section class="picture" aria-label="The model">
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={`${subject.name}. ${HINT}`} title={HINT} />
        <ModeChoice state={state} />
        <Legend state={state} />
      </section>
      <Timeline state={state} />
      <Tabs
        chosen={tab}
        panels={{
          skeleton: { title: 'Skeleton', content: () => <SkeletonTree state={state} /> },
          bones: { title: 'Bones', content: () => <BonesPanel state={state} /> },
          clips: { title: 'Clips', content: () => <ClipTable state={state} /> },
          facts: { title: 'Facts', content: () => <Facts subject={subject} /> },
          issues: {
            title: 'Repairs',
            badge: told.length,
            content: () =>
              told.length > 0 ? (
                <IssueCards title={`Repairs and warnings of ${subject.name}`} issues={told} />
              ) : (
                <p class="empty">No problems were found in this file, and nothing was changed.</p>
              ),
          },
        }}
      />
    </div>
  );
}
