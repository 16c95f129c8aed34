// Code of fields without WebGPU. Only their pages download it.
import { adapterKind } from '../../src/device/adapter-kind.ts';
import { fail } from '../../src/errors.ts';
import { countText } from '../numbers.ts';
import { mostIn, type Settings, type Wishes } from '../protocol.ts';
import type { Graphics } from './graphics.ts';
import { settled } from './settings.ts';

/** Default number of soldiers. */
const COUNT = 300;

/** @param lack The reason why there is no WebGPU, if it was requested. @throws ManipleError DEVICE_UNAVAILABLE */
export function openWebgl(lack?: string): Graphics {
  const canvas = typeof OffscreenCanvas === 'function' ? new OffscreenCanvas(1, 1) : document.createElement('canvas');
  const gl = canvas.getContext('webgl2') as WebGL2RenderingContext | null;
  if (!gl) {
    const message = `${lack ?? 'This browser has no WebGPU.'} WebGL 2 is missing, too.`;
    const suggestion = 'Switch on hardware acceleration in the settings of the browser, or use another browser.';
    fail('DEVICE_UNAVAILABLE', 'device', message, suggestion);
  }
  const unmasked = gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL;
  const name = String(gl.getParameter(unmasked ?? gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  const kind = adapterKind({ description: name } as GPUAdapterInfo);
  const defaults = { count: COUNT };
  return { device: undefined, tier: 'webgl2', kind, name, hasTimes: true, lack, defaults, settle: settledInWebgl };
}

/** Settings with WebGL 2: three.js draws what the CPU has posed. */
export function settledInWebgl(known: Settings, wishes: Wishes): ReturnType<typeof settled> {
  const { count = 0, renderer, view, backend } = wishes;
  const most = mostIn('webgl2');
  const notes = count > most ? [`WebGL 2 draws at most ${countText(most)} soldiers here: the CPU poses them.`] : [];
  const isOther = (renderer && renderer !== 'three') || (view && view !== 'color') || (backend && backend !== 'cpu');
  if (isOther) notes.push('Other renderers, debug views and kernels need WebGPU.');
  const own = { renderer: 'three', view: 'color', backend: 'cpu' } as const;
  // the limit for twins is lower
  const { settings } = settled(known, { ...wishes, view: 'color', backend: 'gpu' });
  return { settings: { ...settings, ...own, count: Math.min(most, settings.count) }, notes };
}
