// Soldiers far away, drawn with and without impostors, and how much the pictures differ.
import { readFile } from 'node:fs/promises';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import { importGltf } from '../../src/import/index.ts';
import type { Camera } from '../../src/render/camera.ts';
import { createForwardRenderer, type ForwardRenderer } from '../../src/render/forward/forward.ts';
import type { ForwardView } from '../../src/render/forward/view.ts';
import type { Lighting } from '../../src/render/lighting/scene.ts';
import type { ImpostorOptions } from '../../src/render/impostors/options.ts';
import { createIdTarget, createReadableTarget, createVelocityTarget } from '../../src/render/target.ts';
import { createVisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import { createCrowd } from './create-crowd.ts';
import { updateAndWait } from './update-and-wait.ts';

export const [WIDTH, HEIGHT] = [192, 108];
export const COUNT = 9;
/** A part of a picture of 1,080 rows with the usual lens. */
const FOV = 2 * Math.atan((Math.tan(Math.PI / 8) * HEIGHT) / 1080);
/** Of a soldier, metres. */
const TALL = 2.007;
const BOUNDS = { min: [-4, 0, -4], max: [4, 3, 4] } as const;

/** The forward renderer, the visibility renderer, or the latter with all triangles drawn by the hardware. */
type FarKind = 'forward' | 'visibility' | 'hardware';

/** One of the renderers, with what both have. */
export type FarRenderer = Pick<ForwardRenderer, 'crowdViews' | 'render' | 'impostors' | 'destroy'>;

/** A picture with its ids and motion vectors. */
export type FarPicture = Awaited<ReturnType<FarSoldiers['draw']>>;

/** Nine soldiers in four clips, and renderers of them. */
export class FarSoldiers {
  readonly crowd: Crowd;
  readonly #army: CharacterGroup;
  readonly #renderers: FarRenderer[] = [];
  /** Of all pictures. */
  lighting: Partial<Lighting> = {};

  static async create(device: GPUDevice, speed = 0): Promise<FarSoldiers> {
    const bytes = new Uint8Array(await readFile('characters/legionary.glb'));
    return new FarSoldiers(device, packCharacter(await importGltf({ name: 'legionary', bytes })), speed);
  }

  /** @param speed Of their clips. */
  private constructor(
    readonly device: GPUDevice,
    readonly character: Character,
    speed: number,
  ) {
    const poseSharing = { belowPx: 1e4, phases: 8 };
    this.crowd = createCrowd(device, { characters: [character], capacity: COUNT, poseSharing });
    this.#army = this.crowd.spawn(character, { count: COUNT });
    this.#army.setClips((i) => [{ clip: i % 4, phase: (0.37 * i) % 1, speed }]);
    this.place(0);
  }

  /** Moves and turns them, by some steps from where they begin. */
  place(steps: number): void {
    this.#army.setTransform((i, at) => {
      at.position.set(1.7 * ((i % 3) - 1) + 0.3 * steps, 0, 1.7 * (Math.floor(i / 3) - 1));
      at.rotation.setYaw(2.4 * i + 0.1 * steps);
    });
  }

  /** A renderer with four samples a pixel. */
  async renderer(impostors?: ImpostorOptions, kind: FarKind = 'forward'): Promise<FarRenderer> {
    const options = {
      sampleCount: 4,
      shadowResolution: 512,
      cascadeCount: 1,
      ...(impostors && { impostors }),
    } as const;
    const sizes = kind === 'hardware' ? { hardwareRaster: { hardwareSize: 0 } } : {};
    const renderer =
      kind === 'forward'
        ? await createForwardRenderer(this.device, this.crowd, options)
        : await createVisibilityRenderer(this.device, this.crowd, { ...options, ...sizes });
    this.#renderers.push(renderer);
    return renderer;
  }

  /** Runs a frame that a camera sees. */
  async update(renderer: FarRenderer, camera: Camera, dt = 1 / 60): Promise<void> {
    const views = renderer.crowdViews({ camera, width: WIDTH, height: HEIGHT, bounds: BOUNDS });
    await updateAndWait(this.crowd, { dt, views });
  }

  async draw(renderer: FarRenderer, camera: Camera) {
    const { device } = this;
    const picture = createReadableTarget(device, WIDTH, HEIGHT);
    const [ids, velocity] = [createIdTarget(device, WIDTH, HEIGHT), createVelocityTarget(device, WIDTH, HEIGHT)];
    const targets = { target: picture.view, ids: ids.view, velocity: velocity.view };
    const { lighting } = this;
    const view: ForwardView = { camera, bounds: BOUNDS, lighting, ...targets, width: WIDTH, height: HEIGHT };
    const encoder = device.createCommandEncoder();
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const pixels = { color: (await picture.read()).data, ids: await ids.read(), velocity: await velocity.read() };
    for (const target of [picture, ids, velocity]) target.destroy();
    return pixels;
  }

  /** Runs a frame, and draws it until all tiles are there. */
  async settle(renderer: FarRenderer, camera: Camera): Promise<FarPicture> {
    await this.update(renderer, camera);
    // the first draws tiles of casters, the second those of the picture, and the third has both
    for (let picture = 0; picture < 2; picture++) await this.draw(renderer, camera);
    return this.draw(renderer, camera);
  }

  destroy(): void {
    for (const renderer of this.#renderers) renderer.destroy();
    this.crowd.destroy();
  }
}

/** @param pixels Height of the soldiers in the middle. */
export function cameraFor(pixels: number): Camera {
  const distance = (TALL * HEIGHT) / 2 / Math.tan(FOV / 2) / pixels;
  return { eye: [0.3 * distance, 0.9 + 0.2 * distance, 0.93 * distance], target: [0, 0.9, 0], fovY: FOV };
}

/** Mean of the channels' absolute differences at a pixel. */
export function differenceAt(a: FarPicture, b: FarPicture, pixel: number): number {
  const channel = (c: number) => Math.abs(a.color[4 * pixel + c]! - b.color[4 * pixel + c]!);
  return (channel(0) + channel(1) + channel(2)) / 3;
}

/** Mean difference of colours, over the pixels that show a soldier in either picture, and over the others. */
export function compareFar(a: FarPicture, b: FarPicture) {
  let [covered, same, sum, outside] = [0, 0, 0, 0];
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    const difference = differenceAt(a, b, pixel);
    const [first, second] = [a.ids[2 * pixel]!, b.ids[2 * pixel]!];
    if (first === 0 && second === 0) {
      outside += difference;
      continue;
    }
    covered++;
    same += Number(first === second);
    sum += difference;
  }
  return { covered, same: same / covered, average: sum / covered, outside: outside / (WIDTH * HEIGHT - covered) };
}
