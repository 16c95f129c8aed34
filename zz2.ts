import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importGltf, addLods } from './src/import/index.ts';
import { LodMeter } from './src/asset/lods/measure-lods.ts';
import { samplePoses } from './src/asset/lods/sample-poses.ts';
import { joinedTriangles, posedVertices, spreadPoints, placePoints } from './src/asset/lods/surface.ts';
import { TriangleTree } from './src/asset/lods/nearest-triangle.ts';
for (const file of process.argv.slice(2)) {
  const model = await importGltf({ name: path.basename(file), bytes: readFileSync(file) });
  const m = await addLods(model);
  const meter = new LodMeter(model, model.clips); const size=meter.metrics.size;
  const poses = samplePoses(model, model.clips, 16);
  for (const lod of m.lods!) {
    const stated = meter.measure(lod.meshes);
    const ve = meter.strays(lod.meshes,{least:0,thorough:false}); const vmax=ve.reduce((a,b)=>Math.max(a,b),0);
    let ab=0, ba=0, vb=0, where='';
    for (const p of poses) {
      const A = Float32Array.from(posedVertices(model, model.meshes, p)), B = Float32Array.from(posedVertices(model, lod.meshes, p));
      const ta=joinedTriangles(model.meshes), tb=joinedTriangles(lod.meshes);
      const treeA=new TriangleTree(A,3,ta), treeB=new TriangleTree(B,3,tb);
      const dist=(pts:Float32Array, tree:TriangleTree, V:Float32Array)=>{const n=placePoints(tree.nearest(pts),V,3);let w=0,at=0;for(let i=0;i<pts.length;i+=3){const d=Math.hypot(pts[i]!-n[i]!,pts[i+1]!-n[i+1]!,pts[i+2]!-n[i+2]!); if(d>w){w=d;at=i;}}return [w,at] as const;};
      const pa=spreadPoints(ta,Float64Array.from(A),{spacing:size/64,most:1e5}), pb=spreadPoints(tb,Float64Array.from(B),{spacing:size/64,most:1e5});
      const [d1,at1]=dist(placePoints(pa,A,3),treeB,B); if(d1>ab){ab=d1; let v=pa.corners[at1]!; for(const mm of model.meshes){ if(v<mm.vertexCount){where=mm.nodeName;break;} v-=mm.vertexCount;} }
      ba=Math.max(ba,dist(placePoints(pb,B,3),treeA,A)[0]);
      vb=Math.max(vb,dist(A,treeB,B)[0]);
    }
    const k=1000*1.8/size;
    console.log(file.split('/').pop(), lod.meshes.reduce((s,x)=>s+x.indices.length/3,0)+'t', 'stated', (stated*k).toFixed(1), 'vertexErrors', (vmax*k).toFixed(1), '| true fine→lod', (ab*k).toFixed(1), where, 'vertices only', (vb*k).toFixed(1), 'lod→fine', (ba*k).toFixed(1), 'mean vertex', (ve.reduce((a,b)=>a+b,0)/ve.length*k).toFixed(2));
  }
}
