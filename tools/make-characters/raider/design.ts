import { handAxes, heldTurn, shieldTurn } from '../body/hand.ts';
import type { Design } from '../design.ts';
import { Surface } from '../geometry/surface.ts';
import { mirror } from '../math/vec.ts';
import { clips } from './clips.ts';
import { mantle, pelt, skirtFurs } from './furs.ts';
import { beard, braid, head, moustache, trimmedBeard } from './head.ts';
import { helmet } from './helmet.ts';
import { limbs } from './limbs.ts';
import { build, rig, springs } from './rig.ts';
import { ring, shield, whirl } from './shield.ts';
import { torso } from './torso.ts';
import { axe, club } from './weapons.ts';

export function raider(): Design {
  const body = new Surface().append(torso()).append(limbs()).append(skirtFurs()).append(head());
  const left = handAxes(build);
  const right = { grip: mirror(left.grip), knuckles: mirror(left.knuckles), thumb: mirror(left.thumb) };
  const leftHand = { joint: 'hand_l', socket: { at: left.grip, turn: shieldTurn(left) } };
  const rightHand = { joint: 'hand_r', socket: { at: right.grip, turn: heldTurn(right) } };
  return {
    name: 'Raider',
    rig,
    build,
    springs,
    parts: [
      { node: 'Body', surface: body },
      { node: 'Mantle', surface: new Surface().append(mantle()).append(pelt()) },
      { node: 'Beard', surface: beard() },
      { node: 'TrimmedBeard', surface: trimmedBeard(), alternativeTo: 'Beard' },
      { node: 'Moustache', surface: moustache() },
      { node: 'Braid', surface: braid() },
      { node: 'Helmet', surface: helmet(), carrier: { joint: 'head' } },
      { node: 'Shield', surface: shield(), carrier: leftHand },
      { node: 'Whirl', surface: whirl(), carrier: leftHand },
      { node: 'Ring', surface: ring(), carrier: leftHand },
      { node: 'Axe', surface: axe(), carrier: rightHand },
      { node: 'Club', surface: club(), carrier: rightHand, alternativeTo: 'Axe' },
    ],
    clips,
  };
}
