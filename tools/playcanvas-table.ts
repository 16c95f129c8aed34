// Plays the state graphs of test/controller/playcanvas-cases.ts with PlayCanvas and with Maniple and writes what they
// have in common to docs/tables/playcanvas.md; with --check it only compares, and exits 1 when the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { playCanvasTable } from '../test/controller/playcanvas-compare.ts';
import { judgeAll } from '../test/controller/playcanvas-ours.ts';
import { root } from './shader-sources.ts';

const file = path.join(root, 'docs/tables/playcanvas.md');
const table = playCanvasTable(await judgeAll());
const isSame = process.argv.includes('--check') ? readFileSync(file, 'utf8') === table : true;
if (!process.argv.includes('--check')) writeFileSync(file, table);
console.log(isSame ? 'docs/tables/playcanvas.md is up to date' : 'docs/tables/playcanvas.md is out of date');
process.exit(isSame ? 0 : 1);
