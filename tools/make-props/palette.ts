import { hex, type Rgb } from '../make-characters/geometry/colour.ts';

/** Sun-bleached and dusty, so that soldiers stay the brightest there is; linen and banners as the legion's. */
export const PALETTE = {
  stone: hex('#a89c88'),
  stoneWarm: hex('#b9a486'),
  stoneDark: hex('#83796b'),
  bark: hex('#7c6550'),
  barkDark: hex('#5f4d3e'),
  pine: hex('#5f7a3c'),
  pineLight: hex('#86994c'),
  cypress: hex('#4b6437'),
  leaf: hex('#8c9459'),
  leafDry: hex('#b7a76c'),
  straw: hex('#c9b676'),
  strawGreen: hex('#9da05a'),
  timber: hex('#94795a'),
  timberDark: hex('#755d45'),
  timberFresh: hex('#cdb48d'),
  rope: hex('#b89a68'),
  hide: hex('#b7a283'),
  hideLight: hex('#cbb896'),
  hideDark: hex('#94805f'),
  iron: hex('#6c6a68'),
  crimson: hex('#b3202a'),
  crimsonDeep: hex('#7d141f'),
  gold: hex('#e0a83c'),
  goldDeep: hex('#b07a24'),
} satisfies Record<string, Rgb>;
