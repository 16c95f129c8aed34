/** Pictures of controllers and of what they do, as SVG. Unstable: names and pictures may change in any release. */
export { controllerDiagram } from './controller-diagram.ts';
export type { SimulatedEvent, SimulatedLayer, SimulatedStep } from './simulated-step.ts';
export { simulationPlot, type SimulationPlotOptions } from './simulation-plot.ts';
export { shortReference } from './text.ts';
