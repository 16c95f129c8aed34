// A chunk of its own: pages with WebGPU have no use for it.
export { WebGLRenderer } from 'three';
