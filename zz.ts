import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importGltf, addLods } from './src/import/index.ts';
import { packCharacter } from './src/asset/pack/index.ts';
import { readBaked, writeBaked } from './src/asset/baked/index.ts';
const opt = JSON.parse(process.argv[2]!);
for (const file of process.argv.slice(3)) {
  const model = await importGltf({ name: path.basename(file), bytes: readFileSync(file) });
  const cpu=()=>process.cpuUsage().user/1000; const t=cpu(); const m = await addLods(model, opt); const t1=cpu();
  packCharacter(model, {clips:process.env.ALL?undefined as never:[0].filter(i=>model.clips[i])}); const t2=cpu();
  const c = packCharacter(m, {clips:process.env.ALL?undefined as never:[0].filter(i=>model.clips[i])}); const t3=cpu();
  const size=c.size;
  console.log(file, 'size', size.toFixed(3), `finest ${c.indices.length/3}t ${c.vertexCount}v`, 'add', (t1-t).toFixed(0), 'pack+', ((t3-t2)-(t2-t1)).toFixed(0));
  for (const l of c.lods) console.log(`   ${l.indices.length/3}t ${l.vertexCount}v ${(l.error*1000).toFixed(2)}mm = ${(l.error*1800/size).toFixed(2)} mm@1.8  ${(l.geometry.byteLength+l.indices.byteLength)} B`);
  for (const i of c.issues) if (i.code.includes('LOD')) console.log('  ', i.code, i.path, i.message);
  const back = readBaked(writeBaked(c)); console.log('   baked', back.lods.length);
}
