import type { Design } from './design.ts';
import { legionary } from './legionary/design.ts';
import { raider } from './raider/design.ts';

export const designs = (): Design[] => [legionary(), raider()];
