import type { ControllerModel } from '../../src/controller/index.ts';
import { type Character, issuesOf } from '../../src/index.ts';
import { clipFromWorld, transform } from '../../src/render/camera.ts';
import type { Scenery } from '../../src/render/index.ts';
import { countText } from '../numbers.ts';
import type { CanvasSize, Command, FieldStart, Settings, Told, Wishes } from '../protocol.ts';
import { Army } from './army.ts';
import { type Cast, loadCast, placeScenery } from './cast.ts';
import { FigureKeeper } from './figures.ts';
import { Gaze } from './gaze.ts';
import { type Graphics, openGraphics } from './graphics.ts';
import { obey } from './orders.ts';
import { type Pace, paceOf } from './pace.ts';
import { Rig } from './rig.ts';
import { defaultSettings, drawnBy } from './settings.ts';
import { createStand, type Shot, type Stand } from './stand.ts';
import { Surface } from './surface.ts';
import { Watch } from './watch.ts';

type Notice = Extract<Told, { kind: 'notice' }>;

/** A battle on a canvas: in a page or in a worker. */
export interface Field {
  command(command: Command): void;
  destroy(): void;
}

/** Longest step of one frame, seconds: a page in the background gets no frames for a while. */
const LONGEST_STEP = 0.1;
/** Canvases narrower than this many layout pixels count as phones, which have less memory. */
const PHONE = 500;
/** Distance of clear air, in multiples of the camera's distance to its target. */
const HAZE = 16;
const PLACES = { gpu: 'GPU', cpu: 'CPU', difference: 'GPU and the CPU' } as const;
/** Progress at which each step to the first frame begins; the first frame is 1. */
const SHARE = { download: 0.05, muster: 0.4, pipelines: 0.65, frame: 0.85 } as const;

/** @throws ManipleError DEVICE_UNAVAILABLE, DEVICE_LIMIT, RENDER_FAILED, FILE_…, BAKED_… */
export async function openField(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  start: FieldStart,
  tell: (told: Told) => void,
): Promise<Field> {
  const onLoaded = (done: number, total: number) => {
    const share = SHARE.download + ((SHARE.muster - SHARE.download) * done) / total;
    tell({ kind: 'busy', text: `Downloading characters: ${done} of ${total} files`, share });
  };
  tell({ kind: 'busy', text: 'Requesting the GPU', share: 0 });
  const [graphics, cast] = await Promise.all([openGraphics(start), loadCast(start.baked, onLoaded)]);
  const { device, name, kind, tier, hasTimes, lack } = graphics;
  const surface = new Surface(device, canvas);
  const inWorker = typeof document === 'undefined';
  tell({ kind: 'ready', adapter: { name, kind, tier, hasTimes, lack, isAsked: start.tier !== undefined, inWorker } });
  return new RunningField(graphics, surface, cast, start, tell);
}

class RunningField implements Field {
  readonly #graphics: Graphics;
  /** Undefined with WebGL 2. */
  readonly #device: GPUDevice | undefined;
  readonly #pace: Pace;
  readonly #surface: Surface;
  readonly #cast: Cast;
  readonly #start: FieldStart;
  readonly #tell: (told: Told) => void;
  readonly #figures: FigureKeeper;
  #settings: Settings;
  #size: CanvasSize;
  /** Commands that wait for the next frame, in this order. */
  readonly #commands: Command[] = [];
  #wishes: Wishes | undefined;
  /** All wishes so far. A wish that was impossible at first may become possible. */
  #asked: Wishes = {};
  readonly #toldErrors = new Set<string>();
  #turn = 0;
  #army: Army | undefined;
  #watch: Watch | undefined;
  #gaze: Gaze | undefined;
  #stand: Stand | undefined;
  #statics: Scenery | undefined;
  #rig: Rig | undefined;
  #shot: Shot | undefined;
  #inFlight: Promise<void>[] = [];
  #lastFrame = performance.now();
  #rest = 0;
  #hasDrawn = false;
  #hasEnded = false;
  readonly #controllers = new Map<Character, ControllerModel>();

  constructor(graphics: Graphics, surface: Surface, cast: Cast, start: FieldStart, tell: (told: Told) => void) {
    const { device, lost, defaults } = graphics;
    this.#graphics = graphics;
    this.#device = device;
    this.#pace = paceOf(graphics);
    this.#surface = surface;
    this.#cast = cast;
    this.#start = start;
    this.#tell = tell;
    this.#size = start.size;
    this.#figures = new FigureKeeper((figures) => {
      tell({ kind: 'figures', figures });
      if (this.#rig) tell({ kind: 'camera', ...this.#rig.look });
    });
    const { width, height, pixelRatio } = start.size;
    const pixels = width * height * pixelRatio ** 2;
    const { zoom = NaN } = start.wishes;
    this.#settings = { ...defaultSettings(this.#pace.isSlow, pixels), zoom, ...defaults };
    this.#wishes = start.wishes;
    void lost?.then((issue) => this.#fail([issue]));
    device?.addEventListener('uncapturederror', ({ error }) => {
      this.#tellOnce('The GPU refused something', new Error(error.message.split('\n')[0]));
    });
    void this.#run();
  }

  command(command: Command): void {
    this.#rest = this.#pace.rest;
    if (command.kind === 'set') {
      this.#wishes = { ...this.#wishes, ...command.wishes };
      this.#turn = command.turn;
    } else if (command.kind === 'resize') this.#size = command.size;
    else this.#commands.push(command);
  }

  destroy(): void {
    this.#hasEnded = true;
    this.#device?.destroy();
    if (this.#device) return;
    this.#clear();
    this.#surface.releaseWebgl();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#hasEnded) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (this.#hasEnded) return;
        await this.#apply();
        for (const command of this.#commands.splice(0)) await this.#obey(command);
        if (this.#army && this.#stand) await this.#frame(this.#army, this.#stand);
      }
    } catch (thrown) {
      this.#fail(issuesOf(thrown));
    }
  }

  #fail(issues: Extract<Told, { kind: 'failed' }>['issues']): void {
    if (this.#hasEnded) return;
    this.#tell({ kind: 'failed', issues });
    this.destroy();
  }

  /** Applies the wishes. Reports impossible ones and keeps the old settings for them. */
  async #apply(): Promise<void> {
    const wishes = this.#wishes;
    if (!wishes) return;
    this.#wishes = undefined;
    this.#asked = { ...this.#asked, ...wishes };
    const known = this.#settings;
    const { settings, notes } = this.#graphics.settle(known, this.#asked);
    const stand = this.#stand;
    const isNew = !this.#army || settings.count !== known.count || settings.seed !== known.seed;
    try {
      if (isNew) await this.#muster(settings);
      else if (settings.backend !== known.backend) await this.#switch(settings);
      const name = this.#drawnBy(settings);
      if (!this.#stand || name !== this.#drawnBy(known)) await this.#build(settings);
      this.#settings = { ...settings, zoom: this.#asked.zoom ?? this.#rig!.zoom };
      if (wishes.zoom !== undefined) this.#rig!.zoom = wishes.zoom;
      this.#tell({ kind: 'settings', settings: this.#settings, notes, turn: this.#turn });
    } catch (thrown) {
      if (!isNew || known.count === settings.count) throw thrown;
      this.#refuse('settings', `${countText(settings.count)} soldiers could not be made`, thrown);
      this.#army = undefined;
      this.#wishes = { count: known.count, seed: known.seed };
    } finally {
      this.#rested();
      this.#lastFrame = performance.now();
      this.#rest = this.#pace.rest;
      if (!this.#stand || this.#stand !== stand) this.#figures.restart();
    }
  }

  /** Reports that preparation is over and frames follow. The first frame compiles its pipelines. */
  #rested(): void {
    const text = this.#hasDrawn ? undefined : 'Drawing the first frame';
    this.#tell({ kind: 'busy', text, share: SHARE.frame });
  }

  #refuse(about: Notice['about'], title: string, thrown: unknown): void {
    this.#tell({ kind: 'notice', about, title, issues: issuesOf(thrown) });
  }

  /** Reports an error of a frame once, because it repeats in every frame. A lost device is reported separately. */
  #tellOnce(title: string, thrown: unknown): void {
    const text = issuesOf(thrown)
      .map(({ code, message }) => `${code} ${message}`)
      .join();
    if (this.#hasEnded || text.startsWith('DEVICE_LOST') || this.#toldErrors.has(text)) return;
    this.#toldErrors.add(text);
    this.#refuse('frame', title, thrown);
  }

  async #muster(settings: Settings): Promise<void> {
    const { count, seed, backend } = settings;
    const text = `Mustering ${countText(count)} soldiers`;
    this.#tell({ kind: 'busy', text, share: SHARE.muster });
    await this.#settle();
    const joined = this.#army?.joined ?? [];
    this.#clear();
    const { vertexMemory } = this.#pace;
    const isPhone = Math.min(this.#size.width, this.#size.height) < PHONE;
    const options = { count, seed, backend, ...this.#pace, vertexMemory: isPhone ? vertexMemory / 3 : vertexMemory };
    const army = await Army.muster(this.#device, this.#cast, options, (share) =>
      this.#tell({
        kind: 'busy',
        text: `${text}: ${Math.round(100 * share)} %`,
        share: SHARE.muster + (SHARE.pipelines - SHARE.muster) * share,
      }),
    );
    this.#army = army;
    if (this.#device) this.#statics = placeScenery(this.#device, this.#cast, army.scenery);
    for (const troop of joined) army.join(troop);
    this.#watch = new Watch(army);
    this.#gaze?.end();
    this.#gaze = new Gaze(this.#watch, (watched) => this.#tell({ kind: 'watched', watched }));
    const { yaw, pitch } = this.#rig?.look ?? this.#start;
    // without a chosen zoom, the default suits the count
    const { zoom } = this.#asked;
    const { camera } = army.battle;
    this.#rig = new Rig(camera, army.ground, {
      ...(yaw === undefined ? {} : { yaw }),
      ...(pitch === undefined ? {} : { pitch }),
      ...(zoom === undefined ? {} : { zoom }),
    });
    this.#tellTroops(army);
  }

  #drawnBy(settings: Settings): ReturnType<typeof drawnBy> {
    return drawnBy(settings, this.#graphics.tier);
  }

  async #switch({ backend }: Settings): Promise<void> {
    this.#tell({ kind: 'busy', text: `Moving the battle to the ${PLACES[backend]}` });
    await this.#settle();
    this.#dropStand();
    await this.#army!.moveTo(backend);
  }

  async #build(settings: Settings): Promise<void> {
    this.#tell({ kind: 'busy', text: 'Compiling pipelines', share: SHARE.pipelines });
    await this.#settle();
    this.#dropStand();
    const { crowds, crowd, scenery, battle } = this.#army!;
    const { isSlow } = this.#pace;
    const name = this.#drawnBy(settings);
    if (name === 'three') {
      const { createThreeStand } = await import('./three-stand.ts');
      const soldiers = battle.groups.map(({ character }) => character);
      const options = { canvas: this.#surface.lend(), scenery, soldiers, baked: this.#start.baked, isSlow };
      this.#stand = await createThreeStand(this.#device, crowd, options);
    } else {
      const { target } = this.#surface;
      this.#stand = await createStand(this.#device!, crowds, {
        name,
        target,
        scenery: this.#statics!,
        surface: battle.surface,
        isSlow,
      });
    }
  }

  #clear(): void {
    this.#dropStand();
    this.#statics?.destroy();
    this.#army?.destroy();
    this.#army = undefined;
  }

  #dropStand(): void {
    this.#stand?.destroy();
    this.#stand = undefined;
    this.#shot = undefined;
  }

  /** Waits for all frames in flight. */
  async #settle(): Promise<void> {
    await Promise.all(this.#inFlight.splice(0));
  }

  /** Executes a person's command. If it fails, the field continues. */
  async #obey(command: Command): Promise<void> {
    const [army, watch, rig] = [this.#army, this.#watch, this.#rig];
    if (!army || !watch || !rig || command.kind === 'set' || command.kind === 'resize') return;
    try {
      await obey(command, {
        army,
        watch,
        rig,
        cast: this.#cast,
        controllers: this.#controllers,
        tell: this.#tell,
        pick: async (x, y) => {
          const shot = this.#shot;
          const scale = (shot?.width ?? 0) / this.#size.width;
          return shot && this.#stand?.pick(shot, x * scale, y * scale);
        },
        project: (point) => {
          const { width, height } = this.#size;
          if (!this.#shot) return undefined;
          const [x, y, , w] = transform(clipFromWorld(this.#shot.camera, width / height), point);
          return w > 0 ? [(0.5 + (0.5 * x) / w) * width, (0.5 - (0.5 * y) / w) * height] : undefined;
        },
        changeCast: (change) => this.#changeCast(change),
        moved: () => {
          rig.setField(army.ground, this.#size);
          this.#told({ zoom: rig.zoom });
        },
      });
    } catch (thrown) {
      const isFile = command.kind === 'join' || command.kind === 'control';
      this.#refuse(isFile ? 'file' : 'frame', isFile ? `${command.name} cannot join` : 'That did not work', thrown);
    }
  }

  #told(changed: Partial<Settings>): void {
    this.#asked = { ...this.#asked, ...changed };
    this.#settings = { ...this.#settings, ...changed };
    this.#tell({ kind: 'settings', settings: this.#settings, notes: [], turn: this.#turn });
  }

  /** Changes the crowd's characters, and rebuilds the renderer: renderers support only the characters that existed at their creation. */
  async #changeCast(change: () => void): Promise<void> {
    this.#tell({ kind: 'busy', text: 'Making space' });
    try {
      await this.#settle();
      this.#dropStand();
      change();
      this.#tellTroops(this.#army!);
    } finally {
      // also if the change failed
      if (!this.#stand) await this.#build(this.#settings);
      this.#rested();
    }
  }

  #tellTroops(army: Army): void {
    const troops = army.troops.map(({ name, group: { character, count } }) => ({
      name,
      count,
      controller: this.#controllers.get(character),
      vertices: character.vertexCount,
      joints: character.joints.length,
      clips: character.clips.length,
    }));
    this.#tell({ kind: 'troops', troops });
  }

  async #frame(army: Army, stand: Stand): Promise<void> {
    const [rig, focus] = [this.#rig!, this.#watch!.focus];
    const begin = performance.now();
    const seconds = Math.max(0, begin - this.#lastFrame) / 1000;
    this.#lastFrame = begin;
    const { paused, speed, orbit, resolution, view } = this.#settings;
    rig.setField(army.ground, this.#size);
    this.#gaze!.look(rig);
    const hasMoved = rig.advance(Math.min(seconds, 1), orbit, focus);
    const hasResized = this.#surface.resize(this.#size, resolution);
    if (!paused || hasMoved || hasResized) this.#rest = this.#pace.rest;
    if (this.#rest > 0) {
      this.#rest--;
      await this.#draw(army, stand, paused ? 0 : Math.min(seconds, LONGEST_STEP) * speed, view);
    }
    this.#figures.look({ stand, crowds: army.crowds, scenery: this.#statics, picture: this.#surface });
    this.#gaze!.report();
  }

  async #draw(army: Army, stand: Stand, dt: number, show: Settings['view']): Promise<void> {
    if (this.#inFlight.length >= this.#pace.ahead) await this.#inFlight.shift();
    if (this.#hasEnded) return;
    const begin = performance.now();
    const { battle, bounds } = army;
    const rig = this.#rig!;
    const shot: Shot = {
      camera: rig.camera,
      bounds,
      lighting: {
        ...battle.lighting,
        fadeDistance: Math.max(battle.lighting?.fadeDistance ?? 0, HAZE * rig.look.distance),
      },
      width: this.#surface.width,
      height: this.#surface.height,
      debugView: show,
    };
    this.#shot = shot;
    army.advance(dt);
    const done = stand
      .frame(dt, shot)
      .then(() => this.#watch?.refresh())
      .catch((thrown: unknown) => this.#tellOnce('A frame failed', thrown))
      .finally(() => this.#drawn());
    this.#inFlight.push(done);
    this.#figures.frame(performance.now() - begin);
  }

  #drawn(): void {
    if (this.#hasDrawn || this.#hasEnded) return;
    this.#hasDrawn = true;
    this.#tell({ kind: 'drawn' });
  }
}
