import type { Stage } from '../../src/battle/parade.ts';

/** The parts of a stage that are options of a view. */
export const stageView = ({ camera, bounds, lighting }: Stage) => ({ camera, bounds, ...(lighting && { lighting }) });
