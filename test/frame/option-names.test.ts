// Options that are misspelt, or that an earlier version had: every call refuses them, and suggests the nearest name.
import { expect, test } from 'vitest';
import { captureFrame } from '../../src/capture/index.ts';
import { packCharacter } from '../../src/character/index.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { expectDrawing } from '../../src/crowd/arguments.ts';
import type { Crowd } from '../../src/index.ts';
import { lightingOf } from '../../src/render/lighting/scene.ts';
import { FORWARD_VIEW, PICK_VIEW } from '../../src/render/forward/view.ts';
import { VISIBILITY_VIEW } from '../../src/render/visibility/visibility.ts';
import {
  createForwardRenderer,
  createReferenceRenderer,
  createScenery,
  createVisibilityRenderer,
} from '../../src/render/index.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { smallActor } from '../support/crowd-truth.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const plain = addSockets(packCharacter(smallActor().model), 'all');
const fighter = soldier();
const STATE = fighter.controller!.machines[0]!.states[0]!;
const BASE = { characters: [plain, fighter], capacity: 8, backend: 'cpu', maxModifiers: 2 } as const;
const encoder = { beginRenderPass() {} };
const device = { createBuffer() {} } as never;

/** JavaScript: no types. */
type Loose = any; // eslint-disable-line @typescript-eslint/no-explicit-any
type Options = Readonly<Record<string, unknown>>;

/** Calls, each with options, and some of the names that these may have. */
const CALLS: Readonly<Record<string, [names: string, call: (options: Loose, crowd: Crowd) => unknown]>> = {
  createCrowd: ['characters capacity updateRates', (o) => createCrowd(undefined, { ...BASE, ...o })],
  'new ManipleCrowd': ['core materials shadowDetail', (o) => new ManipleCrowd(undefined as never, o)],
  'crowd.update': ['dt views', (o, crowd) => updateAndWait(crowd, { dt: 0, ...o })],
  'crowd.encode': ['dt views', (o, crowd) => crowd.encode(undefined, { dt: 0, ...o })],
  captureFrame: ['dt stages byteLimit', (o, crowd) => captureFrame(crowd, { dt: 0, ...o })],
  spawn: ['count place', (o, crowd) => crowd.spawn(plain, o)],
  playState: ['layer phase', (o, crowd) => crowd.playState(idsOf(crowd, 0), STATE, o)],
  crossFade: ['layer duration durationUnit', (o, crowd) => crowd.crossFade(idsOf(crowd, 0), STATE, o)],
  attach: ['offset whenCulled', (o, crowd) => crowd.attach(idsOf(crowd, 1), 0, o)],
  createForwardRenderer: ['sampleCount cascadeCount', (o, crowd) => createForwardRenderer(device, crowd, o)],
  createVisibilityRenderer: ['sampleCount hardwareRaster', (o, crowd) => createVisibilityRenderer(device, crowd, o)],
  createReferenceRenderer: ['sampleCount gridSteps', (o, crowd) => createReferenceRenderer(crowd, o)],
  'surface of a renderer': ['twin', (o, crowd) => createReferenceRenderer(crowd, { surface: { code: '', ...o } })],
  'render, reference': ['lighting onProgress', async (o, crowd) => (await createReferenceRenderer(crowd)).render(o)],
  'render, forward': ['lighting debugView', (o) => expectDrawing(encoder, o, FORWARD_VIEW)],
  'render, visibility': ['lighting normals', (o) => expectDrawing(encoder, o, VISIBILITY_VIEW)],
  pick: ['lighting debugView normals', (o) => expectDrawing(encoder, o, PICK_VIEW)],
  lighting: ['sunColor dust', (o) => lightingOf({ lighting: o })],
  createScenery: ['character places', (o) => createScenery(device, [o])],
};

/** Ids of fighters (0), or of characters without a controller (1). */
function idsOf(crowd: Crowd, type: 0 | 1): readonly number[] {
  return crowd.ids.slice(2 * type, 2 * type + 2);
}

async function refusal(call: (options: Loose, crowd: Crowd) => unknown, options: Options): Promise<unknown> {
  const crowd = createCrowd(undefined, BASE);
  crowd.spawn(fighter, { count: 2 });
  crowd.spawn(plain, { count: 2 });
  try {
    await call(options, crowd);
    return 'nothing was refused';
  } catch (thrown) {
    return thrown;
  } finally {
    crowd.destroy();
  }
}

test('picks take the views of both renderers', () => {
  expect(PICK_VIEW).toEqual({ ...FORWARD_VIEW, ...VISIBILITY_VIEW });
});

test.each(Object.entries(CALLS))('%s refuses unknown options', async (_, [names, call]) => {
  for (const name of names.split(' ')) {
    const misspelt = name.slice(0, -1);
    const thrown = await refusal(call, { [misspelt]: 1 });
    expect(String(thrown)).toMatch(`Unknown option ${JSON.stringify(misspelt)}. Options: ${name}`);
    expect(thrown).toMatchObject({ code: 'CROWD_BAD_ARGUMENT' });
  }
  // old names are refused as well, also by views that are spread
  const old = { scene: {}, show: 'color', samples: 4, sizes: {} };
  for (const name of Object.keys(old)) expect(String(await refusal(call, old))).toMatch(`Unknown option "${name}"`);
});
