/** Frame captures: take, write to files, read and replay them stage by stage. Also makes kernels readable in GPU debuggers. */
export { captureFrame } from './capture-frame.ts';
export type { CaptureOptions } from './capture-frame.ts';
export type { CapturedArrays, CapturedStage, FrameCapture } from './capture.ts';
export type { ArrayDifference } from './compare.ts';
export { CAPTURE_VERSION, readCapture, writeCapture } from './capture-file.ts';
export type { TypePlace } from '../frame/tables/crowd-types.ts';
export { replayStage } from './replay.ts';
export type { StageReplayOptions, StageReplay } from './replay.ts';
export { useReadableShaders } from '../wgsl/compile.ts';
