export { isBaked } from './container.ts';
export { readBaked } from './read.ts';
export { type BakeOptions, writeBaked } from './write.ts';
export { BAKED_VERSION } from './version.ts';
