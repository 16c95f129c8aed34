/** The order of the frame. Every list of stages in Maniple follows it. */
export const STAGES = [
  'step-controllers',
  'ground-characters',
  'cull-characters',
  'gather-motions',
  'pose-joints',
  'place-sockets',
  'update-characters',
  'keep-palettes',
  'skin-vertices',
] as const;

export type StageName = (typeof STAGES)[number];

/** The stages that a crowd can run. */
export function stagesOf(hasControllers: boolean, hasUpdates: boolean): readonly StageName[] {
  const isMissing = { 'step-controllers': !hasControllers, 'update-characters': !hasUpdates };
  return STAGES.filter((stage) => !isMissing[stage as keyof typeof isMissing]);
}

/** When a recorder is called: before or after a stage runs. */
export type Moment = 'inputs' | 'outputs';
