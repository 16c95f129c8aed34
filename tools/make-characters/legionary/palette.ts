import { hex, type Rgb } from '../geometry/colour.ts';

/** The legionary's colours: crimson and gold against cool steel, so that the eye finds him in a crowd. */
export const PALETTE = {
  crimson: hex('#b3202a'),
  crimsonDeep: hex('#7d141f'),
  crimsonBright: hex('#d8363a'),
  lining: hex('#5c0f1c'),
  gold: hex('#e0a83c'),
  goldDeep: hex('#b07a24'),
  steel: hex('#b9c3cf'),
  steelBright: hex('#ccd5e0'),
  steelDeep: hex('#8592a3'),
  leather: hex('#7a4a2a'),
  leatherDeep: hex('#4d2d1b'),
  strap: hex('#a2683a'),
  cream: hex('#efe1c4'),
  wood: hex('#8a5a34'),
  skin: hex('#e2a47a'),
  skinDeep: hex('#c07e5a'),
  lip: hex('#a85a48'),
  hair: hex('#3a2418'),
  eye: hex('#1d1512'),
  eyeWhite: hex('#f3e9dd'),
} satisfies Record<string, Rgb>;
