import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { designs } from './designs.ts';
import { makeCharacter } from './export/character.ts';
import { type FileFacts, inspectFile } from './inspect.ts';
import { faultsOf } from './validate.ts';

/** Writes characters/*.glb and prints what is in them: `npx tsx tools/make-characters/main.ts`. */

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../characters');
mkdirSync(folder, { recursive: true });

for (const design of designs()) {
  const bytes = await makeCharacter(design);
  const file = path.join(folder, `${design.name.toLowerCase()}.glb`);
  writeFileSync(file, bytes);
  report(path.basename(file), bytes.length, await inspectFile(bytes));
  const faults = await faultsOf(bytes);
  for (const fault of faults) console.error(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

function report(file: string, size: number, { joints, vertices, triangles, clips }: FileFacts): void {
  console.log(`${file}: ${size} bytes, ${joints} joints, ${vertices} vertices, ${triangles} triangles`);
  console.log('  clip            seconds  loop   m/s  lowest body  prop  foot slide  seam (mm)  jolt');
  const mm = (metres: number, width: number): string => (metres * 1000).toFixed(1).padStart(width);
  for (const clip of clips) {
    const { name, duration, loop, speed, lowestBody, lowestProp, footSlide, seam, seamJolt } = clip;
    console.log(
      `  ${name.padEnd(15)} ${duration.toFixed(2).padStart(7)}  ${loop ? 'loop' : '    '} ${speed.toFixed(2).padStart(6)}` +
        `${mm(lowestBody, 12)} ${mm(lowestProp, 6)} ${mm(footSlide, 8)}/s ${loop ? `${mm(seam, 9)} ${seamJolt.toFixed(2).padStart(6)}` : ''}`,
    );
  }
}
