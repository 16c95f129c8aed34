import type { Surface } from '../make-characters/geometry/surface.ts';
import { cart, palisade, tent, vexillum } from './camp.ts';
import { bush, grass, type Card } from './plants.ts';
import { boulder, slab, stones } from './rocks.ts';
import { cypress, pine } from './trees.ts';

/** A thing that stands on a battlefield: on y = 0, its origin where it touches the ground, its front along +Z. */
export interface Prop {
  readonly name: string;
  readonly surface?: Surface;
  /** With the picture of a twig where they are leaves. */
  readonly cards?: readonly Card[];
  readonly leaves?: boolean;
}

export const props = (): Prop[] => [
  { name: 'boulder', surface: boulder() },
  { name: 'slab', surface: slab() },
  { name: 'stones', surface: stones() },
  { name: 'pine', surface: pine() },
  { name: 'cypress', surface: cypress() },
  { name: 'bush', cards: bush(), leaves: true },
  { name: 'grass', cards: grass() },
  { name: 'palisade', surface: palisade() },
  { name: 'tent', surface: tent() },
  { name: 'vexillum', surface: vexillum() },
  { name: 'cart', surface: cart() },
];
