import { Document, NodeIO, type Accessor, type Material } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { assemble } from '../make-characters/geometry/assemble.ts';
import { triangulate } from '../make-characters/geometry/normals.ts';
import { makeOccluder } from '../make-characters/geometry/occlusion.ts';
import { leafImage } from './leaf-image.ts';
import type { Card } from './plants.ts';
import type { Prop } from './props.ts';

/** Metres: what is nearer or farther casts no shade. */
const SHADE = { from: 0.02, range: 0.7 };

/** Both sides of a card, with the same normals: lit from where the plant is lit, whichever side is seen. */
const SIDES = [0, 1, 2, 0, 2, 3, 2, 1, 0, 3, 2, 0];

type Numbers = Parameters<Accessor['setArray']>[0];

/** Packs one prop: the bytes of a GLB, the same on every run. One node, one mesh, a primitive per material. */
export async function makeProp({ name, surface, cards = [], leaves = false }: Prop): Promise<Uint8Array<ArrayBuffer>> {
  const document = new Document();
  // normals are bytes
  document.createExtension(KHRMeshQuantization).setRequired(true);
  document.getRoot().getAsset().generator = 'maniple make-props';
  const buffer = document.createBuffer();
  const accessor = (type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', array: Numbers, normalized = false) =>
    document.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer);
  const mesh = document.createMesh(name);
  if (surface) {
    const triangles = triangulate(surface);
    for (const primitive of assemble(triangles, { occluder: makeOccluder(triangles, SHADE), grounded: true })) {
      const material = document.createMaterial(primitive.material);
      if (primitive.material === 'metal') material.setMetallicFactor(0.35).setRoughnessFactor(0.42);
      else material.setMetallicFactor(0).setRoughnessFactor(0.9);
      mesh.addPrimitive(
        document
          .createPrimitive()
          .setMaterial(material)
          .setIndices(accessor('SCALAR', primitive.indices))
          .setAttribute('POSITION', accessor('VEC3', primitive.positions))
          .setAttribute('NORMAL', accessor('VEC3', primitive.normals, true))
          .setAttribute('COLOR_0', accessor('VEC4', primitive.colours, true)),
      );
    }
  }
  if (cards.length > 0) {
    const primitive = document.createPrimitive().setMaterial(cardMaterial(document, leaves));
    const corners = cards.flatMap((card) => card.corners.flat());
    primitive
      .setIndices(accessor('SCALAR', Uint16Array.from(cards.flatMap((_, i) => SIDES.map((corner) => 4 * i + corner)))))
      .setAttribute('POSITION', accessor('VEC3', Float32Array.from(corners)))
      .setAttribute('NORMAL', accessor('VEC3', bytes(cards, 'normals', 127), true))
      .setAttribute('COLOR_0', accessor('VEC4', colours(cards), true));
    if (leaves) {
      const twig = [0, 1, 1, 1, 1, 0, 0, 0];
      primitive.setAttribute('TEXCOORD_0', accessor('VEC2', Float32Array.from(cards.flatMap(() => twig))));
    }
    mesh.addPrimitive(primitive);
  }
  const scene = document.createScene(name).addChild(document.createNode(name).setMesh(mesh));
  document.getRoot().setDefaultScene(scene);
  const io = new NodeIO().registerExtensions([KHRMeshQuantization]);
  return Uint8Array.from(await io.writeBinary(document));
}

function cardMaterial(document: Document, leaves: boolean): Material {
  const material = document
    .createMaterial(leaves ? 'leaves' : 'blades')
    .setMetallicFactor(0)
    .setRoughnessFactor(0.9);
  if (!leaves) return material;
  const image = document.createTexture('twig').setImage(leafImage()).setMimeType('image/png');
  return material.setBaseColorTexture(image).setAlphaMode('MASK').setAlphaCutoff(0.4);
}

function bytes(cards: readonly Card[], of: 'normals', factor: number): Int8Array<ArrayBuffer> {
  return Int8Array.from(cards.flatMap((card) => card[of].flat().map((x) => Math.round(x * factor))));
}

function colours(cards: readonly Card[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    cards.flatMap((card) => card.colours.flatMap((rgb) => [...rgb.map((x) => Math.round(x * 255)), 255])),
  );
}
