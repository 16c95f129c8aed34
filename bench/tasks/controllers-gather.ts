import {
  MOTION_KIND,
  MOTION_LAYER,
  MOTION_END,
  MOTION_ROWS,
  FrameParams,
  VisibleCharacter,
} from '../../src/stages/layout.ts';
import { createGatherMotions } from '../../src/stages/gather-motions/stage.ts';
import { ITEM_GROUP } from '../../src/stages/kernel.ts';
import { View } from '../../src/layout/index.ts';
import type { GpuSoldiers } from './controllers-crowd.ts';
import { readWords } from './controllers-read.ts';
import type { SoldierScene } from './controllers-scene.ts';
import { timePasses } from './controllers-timer.ts';

export interface Gathered {
  readonly milliseconds: number;
  readonly capacity: number;
  /** Motions and layer records per character, in a sample. */
  readonly motions: number;
  readonly layers: number;
}

/** Lists of the visible: every `stride`-th character, in order. */
export async function timeGather(
  device: GPUDevice,
  { tables }: SoldierScene,
  crowd: GpuSoldiers,
  { visible, stride }: { readonly visible: number; readonly stride: number },
): Promise<Gathered> {
  const capacity = Math.max(...tables.types.map(({ character }) => character.controller!.motionBound));
  const params = new View(FrameParams, 1);
  params.assign(0, { frame: 1, visibleCount: visible, motionCapacity: capacity });
  const list = new View(VisibleCharacter, visible);
  const words = list.words;
  const size = VisibleCharacter.size / 4;
  const at = (name: keyof typeof VisibleCharacter.fields) => VisibleCharacter.offsets[name] / 4;
  for (let v = 0; v < visible; v++) {
    const character = v * stride;
    const type = tables.types[character < Math.ceil(crowd.count / 2) ? 0 : 1]!;
    words[size * v + at('character')] = character;
    words[size * v + at('typeRow')] = type.typeRow;
    words[size * v + at('motionRow')] = v * capacity * MOTION_ROWS;
  }
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const upload = (data: Uint32Array<ArrayBuffer>, usage: number) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const { animators, rig, regions } = crowd;
  const own = {
    params: upload(params.words, GPUBufferUsage.UNIFORM),
    visible: upload(words, storage),
    players: device.createBuffer({ size: 32, usage: storage }),
    modifiers: device.createBuffer({ size: 32, usage: storage }),
    motions: device.createBuffer({ size: visible * capacity * MOTION_ROWS * 16, usage: storage }),
  };
  const stage = createGatherMotions(device, { controllers: true, root: false, trees: false });
  const dispatch = stage.bind({ ...own, animators, rig, regions }, Math.ceil(visible / ITEM_GROUP));
  const { gather } = await timePasses(device, [{ name: 'gather', dispatches: [dispatch] }]);
  const sample = Math.min(visible, 20_000);
  const rows = await readWords(device, own.motions, 0, sample * capacity * MOTION_ROWS * 16);
  let [motions, layers] = [0, 0];
  for (let v = 0; v < sample; v++) {
    for (let m = 0; m < capacity; m++) {
      const kind = rows[16 * (v * capacity + m) + 15]! & MOTION_KIND;
      if (kind === MOTION_END) break;
      if (kind === MOTION_LAYER) layers++;
      else motions++;
    }
  }
  Object.values(own).forEach((buffer) => buffer.destroy());
  return { milliseconds: gather!, capacity, motions: motions / sample, layers: layers / sample };
}
