export { keepSnapshots, type KeepOptions } from './auto-snapshot.ts';
export { type InputLog, type InputLogOptions, recordInputs } from './input-log.ts';
export { readSnapshot } from './read-snapshot.ts';
export { rebuildCrowd, type RebuildOptions, type RebuiltCrowd } from './auto-snapshot.ts';
export { recoverCrowd, type RecoveredCrowd, type RecoverOptions } from './recover.ts';
export { replayInputs, type ReplayOptions } from './replay.ts';
export { restoreCrowd } from './restore.ts';
export type { CrowdSnapshot } from './snapshot.ts';
export { saveSnapshot } from './write-snapshot.ts';
