export { setBasisTranscoder, type BasisFiles } from './basis.ts';
export { decodeImage } from './decode.ts';
export { encodePng } from './encode.ts';
export { MAX_IMAGE_SIZE, type RgbaImage } from './image.ts';
