export { findHumanoid, type HumanoidFinding } from './find-humanoid.ts';
export { readHumanoidMap } from './read-map.ts';
export { humanoidFacts } from './humanoid-facts.ts';
