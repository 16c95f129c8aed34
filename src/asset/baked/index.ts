export { BAKED_VERSION, isBaked } from './container.ts';
export { readBaked } from './read.ts';
export { writeBaked } from './write.ts';
