import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import type { Design } from '../design.ts';
import { addClips } from './clips.ts';
import { beginFile } from './file.ts';
import { packGlb, unpackGlb } from './glb.ts';
import { addParts } from './parts.ts';

/** Bakes and packs one character: the bytes of a GLB, the same on every run. */
export async function makeCharacter(design: Design): Promise<Uint8Array<ArrayBuffer>> {
  const document = new Document();
  // normals are bytes
  document.createExtension(KHRMeshQuantization).setRequired(true);
  document.getRoot().getAsset().generator = 'maniple make-characters';
  const file = beginFile(document, design);
  addParts(file, design);
  addClips(file, design);
  return withoutDefaults(await new NodeIO().registerExtensions([KHRMeshQuantization]).writeBinary(document));
}

/** Drops what glTF assumes anyway: with hundreds of channels that is a good part of the file. */
function withoutDefaults(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { json, binary } = unpackGlb(bytes);
  for (const animation of json.animations ?? []) {
    for (const sampler of animation.samplers) if (sampler.interpolation === 'LINEAR') delete sampler.interpolation;
  }
  for (const accessor of json.accessors ?? []) {
    if (accessor.byteOffset === 0) delete accessor.byteOffset;
    if (accessor.normalized === false) delete accessor.normalized;
  }
  return packGlb(json, binary);
}
