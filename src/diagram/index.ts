/** Pictures of controllers and of what they do, as SVG. */
export { controllerDiagram } from './controller-diagram.ts';
export type { SimulatedStep } from './simulated-step.ts';
export { simulationPlot } from './simulation-plot.ts';
export { shortReference } from './text.ts';
