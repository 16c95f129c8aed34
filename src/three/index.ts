// Crowds in scenes of three.js, drawn by its WebGPURenderer. three.js itself is the page's own.
export { crowdId, crowdTint } from './crowd-nodes.ts';
export {
  ManipleCrowd,
  type ManipleCrowdEvents,
  type ManipleCrowdOptions,
  type UpdateOptions,
} from './maniple-crowd.ts';
