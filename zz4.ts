import { readFileSync } from 'node:fs';
import { importGltf, addLods } from './src/import/index.ts';
import { LodMeter } from './src/asset/lods/index.ts';
const opt = JSON.parse(process.argv[2]!);
for (const file of process.argv.slice(3)) {
  const model = await importGltf({ name: file, bytes: readFileSync(file) });
  const cpu=()=>process.cpuUsage().user/1000; const t=cpu(); const m = await addLods(model, opt); const t1=cpu();
  const meter=new LodMeter(model, model.clips); const size=meter.metrics.size; const errs=m.lods!.map(l=>meter.measure(l.meshes)); const t2=cpu();
  const tri=(x:any)=>x.reduce((s:any,y:any)=>s+y.indices.length/3,0), ver=(x:any)=>x.reduce((s:any,y:any)=>s+y.vertexCount,0);
  console.log(file.split('/').pop(), size.toFixed(3), `finest ${tri(model.meshes)}t ${ver(model.meshes)}v`, 'add cpu ms', (t1-t).toFixed(0), 'measure', (t2-t1).toFixed(0));
  m.lods!.forEach((l,i)=>console.log(`   ${tri(l.meshes)}t ${ver(l.meshes)}v ${(errs[i]!*1000).toFixed(2)} mm = ${(errs[i]!*1800/size).toFixed(2)} mm@1.8`));
  for (const i of m.issues) if (i.code.includes('LOD')) console.log('  ', i.message);
}
