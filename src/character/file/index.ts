export { isBaked } from './container.ts';
export { readBaked } from './read.ts';
export { writeBaked } from './write.ts';
export { BAKED_VERSION } from './version.ts';
