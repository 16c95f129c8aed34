import type { Node as GltfNode, Primitive as GltfPrimitive } from '@gltf-transform/core';
import type { Carrier, Design, Part } from '../design.ts';
import { assemble, type Primitive } from '../geometry/assemble.ts';
import { type Triangle, triangulate } from '../geometry/normals.ts';
import { makeOccluder, type Occluder } from '../geometry/occlusion.ts';
import { sub } from '../math/vec.ts';
import { type FileInProgress, makeAccessor } from './file.ts';

/** A worn thing is shaded by everything near; a held one by itself, its thin paint and rims excepted. */
const WORN_SHADE = { from: 0.006, range: 0.3 };
const HELD_SHADE = { from: 0.02, range: 0.25 };

/** Adds the skin and a mesh node per part. */
export function addParts(file: FileInProgress, design: Design): void {
  const cut = new Map(design.parts.map((part) => [part, triangulate(part.surface)]));
  const worn = (shaded: Part): Occluder => {
    const around = design.parts.filter(
      (part) => part === shaded || (!part.alternativeTo && part.node !== shaded.alternativeTo),
    );
    const inPlace = around.filter((part) => !part.carrier?.socket);
    return makeOccluder(
      inPlace.flatMap((part) => cut.get(part)!),
      WORN_SHADE,
    );
  };
  const common = worn(design.parts[0]!);
  const skin = makeSkin(file, design);
  for (const part of design.parts) {
    const mesh = file.document.createMesh(part.node);
    for (const primitive of partPrimitives(design, part, cut.get(part)!, part.alternativeTo ? worn(part) : common)) {
      mesh.addPrimitive(makePrimitive(file, primitive));
    }
    const node = file.document.createNode(part.node).setMesh(mesh);
    if (part.alternativeTo) node.setExtras({ alternative: true });
    if (part.carrier) hangOn(node, file, design, part.carrier);
    // glTF places a skinned mesh by its joints alone, so it hangs on nothing
    else file.scene.addChild(node.setSkin(skin));
  }
}

function makeSkin(file: FileInProgress, { name, rig }: Design): ReturnType<FileInProgress['document']['createSkin']> {
  const skin = file.document.createSkin(name).setSkeleton(file.joints[0]!);
  for (const joint of file.joints) skin.addJoint(joint);
  const binds = rig.joints.flatMap(({ at: [x, y, z] }) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0 - x, 0 - y, 0 - z, 1]);
  return skin.setInverseBindMatrices(makeAccessor(file, 'MAT4', Float32Array.from(binds)));
}

function partPrimitives(design: Design, part: Part, triangles: readonly Triangle[], worn: Occluder): Primitive[] {
  const { carrier } = part;
  if (!carrier) return assemble(triangles, { rig: design.rig, occluder: worn, grounded: true });
  if (carrier.socket) return assemble(triangles, { occluder: makeOccluder(triangles, HELD_SHADE), grounded: false });
  const origin = design.rig.joint(carrier.joint).at;
  return assemble(triangles, { occluder: worn, grounded: true, place: (p) => sub(p, origin) });
}

function hangOn(node: GltfNode, file: FileInProgress, { rig }: Design, { joint, socket }: Carrier): void {
  const { index, at } = rig.joint(joint);
  file.joints[index]!.addChild(node);
  if (socket) node.setTranslation([...sub(socket.at, at)]).setRotation([...socket.turn]);
}

function makePrimitive(file: FileInProgress, primitive: Primitive): GltfPrimitive {
  const out = file.document
    .createPrimitive()
    .setMaterial(file.materials[primitive.material])
    .setIndices(makeAccessor(file, 'SCALAR', primitive.indices))
    .setAttribute('POSITION', makeAccessor(file, 'VEC3', primitive.positions))
    .setAttribute('NORMAL', makeAccessor(file, 'VEC3', primitive.normals, true))
    .setAttribute('COLOR_0', makeAccessor(file, 'VEC4', primitive.colours, true));
  if (primitive.joints) out.setAttribute('JOINTS_0', makeAccessor(file, 'VEC4', primitive.joints));
  if (primitive.weights) out.setAttribute('WEIGHTS_0', makeAccessor(file, 'VEC4', primitive.weights, true));
  return out;
}
