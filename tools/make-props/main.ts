import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOf } from '../make-characters/validate.ts';
import { makeProp } from './file.ts';
import { props } from './props.ts';

/** Writes props/*.glb: `npx tsx tools/make-props/main.ts`. */

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../props');
mkdirSync(folder, { recursive: true });

for (const prop of props()) {
  const bytes = await makeProp(prop);
  writeFileSync(path.join(folder, `${prop.name}.glb`), bytes);
  console.log(`${prop.name}.glb: ${bytes.length} bytes`);
  const faults = await faultsOf(bytes);
  for (const fault of faults) console.error(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
