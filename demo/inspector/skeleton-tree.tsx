import { useSignal } from '@preact/signals';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CharacterJoint } from '../../src/character/index.ts';
import type { CharacterState } from './character-state.ts';

interface Row {
  readonly joint: number;
  readonly depth: number;
}

/** All joints, children below their parents, in the file's order. */
export function rowsOf(joints: readonly CharacterJoint[]): Row[] {
  const children = new Map<number, number[]>();
  joints.forEach(({ parentIndex }, joint) => children.set(parentIndex, [...(children.get(parentIndex) ?? []), joint]));
  const rows: Row[] = [];
  const todo = (children.get(-1) ?? []).map((joint) => ({ joint, depth: 0 })).reverse();
  while (todo.length > 0) {
    const row = todo.pop()!;
    rows.push(row);
    const below = (children.get(row.joint) ?? []).map((joint) => ({ joint, depth: row.depth + 1 }));
    todo.push(...below.reverse());
  }
  return rows;
}

/** Deepest indent, so that chains of hundreds of joints stay visible. */
const DEEPEST = 14;

/** The skeleton by names; the chosen joint is marked on the model and painted in the view of weights. */
export function SkeletonTree({ state }: { readonly state: CharacterState }): JSX.Element {
  const { joints } = state.character;
  const rows = useMemo(() => rowsOf(joints), [joints]);
  const filter = useSignal('');
  const list = useRef<HTMLDivElement>(null);
  const wanted = filter.value.trim().toLowerCase();
  const shown = wanted === '' ? rows : rows.filter(({ joint }) => joints[joint]!.name.toLowerCase().includes(wanted));
  const chosen = state.joint.value;
  useEffect(() => {
    list.current?.querySelector(`[data-joint="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const choose = (joint: number): void => {
    state.joint.value = joint;
    state.hasSkeleton.value = true;
  };
  const onKey = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const at = shown.findIndex(({ joint }) => joint === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    const row = to === undefined ? undefined : shown[Math.max(0, Math.min(shown.length - 1, to))];
    if (!row) return;
    event.preventDefault();
    choose(row.joint);
    list.current?.querySelector<HTMLElement>(`[data-joint="${row.joint}"]`)?.focus();
  };
  const entry = shown.some(({ joint }) => joint === chosen) ? chosen : shown[0]?.joint;
  return (
    <div class="skeleton">
      <input
        type="search"
        placeholder={`Find a joint (${joints.length})`}
        aria-label="Find a joint by name"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <div class="tree" role="tree" aria-label="Skeleton" ref={list} onKeyDown={onKey}>
        {shown.map(({ joint, depth }) => (
          <div
            key={joint}
            role="treeitem"
            data-joint={joint}
            aria-level={depth + 1}
            aria-selected={joint === chosen}
            tabIndex={joint === entry ? 0 : -1}
            style={{ paddingLeft: `${8 + 14 * Math.min(DEEPEST, depth)}px` }}
            onClick={() => choose(joint)}
          >
            {joints[joint]!.name || `(joint ${joint})`}
          </div>
        ))}
        {shown.length === 0 && <p class="empty">No joint name contains this text.</p>}
      </div>
    </div>
  );
}
