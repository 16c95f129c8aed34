import { handAxes, heldTurn, shieldTurn } from '../body/hand.ts';
import type { Design } from '../design.ts';
import { Surface } from '../geometry/surface.ts';
import { mirror } from '../math/vec.ts';
import { cape } from './cape.ts';
import { clips } from './clips.ts';
import { beard, head } from './head.ts';
import { crest, helmet } from './helmet.ts';
import { limbs } from './limbs.ts';
import { build, rig, springs } from './rig.ts';
import { lightning, scutum, wings } from './scutum.ts';
import { shoulderGuard } from './shoulders.ts';
import { skirt } from './skirt.ts';
import { torso } from './torso.ts';
import { gladius, pilum, scabbard } from './weapons.ts';

/** A head a tenth too large reads better from afar. */
const larger = (surface: Surface): Surface =>
  surface.mapped(([x, y, z]) => [x * 1.1, build.head[1] + (y - build.head[1]) * 1.1, z * 1.1]);

export function legionary(): Design {
  const body = new Surface()
    .append(torso())
    .append(shoulderGuard().withMirror())
    .append(limbs())
    .append(skirt())
    .append(larger(head()));
  const left = handAxes(build);
  const right = { grip: mirror(left.grip), knuckles: mirror(left.knuckles), thumb: mirror(left.thumb) };
  const leftHand = { joint: 'hand_l', socket: { at: left.grip, turn: shieldTurn(left) } };
  const rightHand = { joint: 'hand_r', socket: { at: right.grip, turn: heldTurn(right) } };
  return {
    name: 'Legionary',
    rig,
    build,
    springs,
    parts: [
      { node: 'Body', surface: body },
      { node: 'Cape', surface: cape() },
      { node: 'Beard', surface: larger(beard()) },
      { node: 'Helmet', surface: larger(helmet()), carrier: { joint: 'head' } },
      { node: 'Crest', surface: larger(crest()), carrier: { joint: 'crest' } },
      { node: 'Scabbard', surface: scabbard(), carrier: { joint: 'pelvis' } },
      { node: 'Shield', surface: scutum(), carrier: leftHand },
      { node: 'Wings', surface: wings(), carrier: leftHand },
      { node: 'Lightning', surface: lightning(), carrier: leftHand },
      { node: 'Gladius', surface: gladius(), carrier: rightHand },
      { node: 'Pilum', surface: pilum(), carrier: rightHand, alternativeTo: 'Gladius' },
    ],
    clips,
  };
}
