import type { ComponentChildren, JSX } from 'preact';
import { meshesOf } from '../../src/frame/tables/crowd-types.ts';
import { lodOf, memoryOf } from '../../src/cli/character-facts.ts';
import type { Subject } from './character-state.ts';
import { bytes, millimetres } from './format.ts';
import { countText } from '../numbers.ts';

/** The character in numbers. */
export function Facts({ subject: { character } }: { readonly subject: Subject }): JSX.Element {
  const memory = memoryOf(character);
  const { joints, clips, materials, images, parts, morphNames, influenceHistogram, bounds } = character;
  const [width, height, depth] = bounds.max.map((high, c) => (high - bounds.min[c]!).toPrecision(3));
  const packed = clips.reduce((sum, clip) => sum + clip.bytes, 0);
  const source = clips.reduce((sum, clip) => sum + clip.sourceBytes, 0);
  return (
    <div class="facts">
      <dl>
        <Fact title="Size">
          {width} × {height} × {depth} m
        </Fact>
        <Fact title="Joints">{countText(joints.length)}</Fact>
        <Fact title="Vertices">{countText(character.vertexCount)}</Fact>
        <Fact title="Triangles">{countText(character.indices.length / 3)}</Fact>
        <Fact title="Meshes">{countText(character.primitives.length)}</Fact>
        <Fact title="Parts that can be hidden">{countText(parts.length)}</Fact>
        <Fact title="Materials">
          {materials.length}, {images.length} images
        </Fact>
        {morphNames.length > 0 && <Fact title="Morph targets">{countText(morphNames.length)}</Fact>}
        <Fact title="Joints per vertex">at most {influenceHistogram.length - 1}</Fact>
        <Fact title="Clips">
          {clips.length}, {bytes(packed)}{' '}
          {packed > 0 && `(${(source / packed).toFixed(1)} × smaller than the keys in the file)`}
        </Fact>
      </dl>
      <h3>Memory on the GPU</h3>
      <dl>
        <Fact title="Skeleton and clips">{bytes(memory.rig)}</Fact>
        <Fact title="Mesh">{bytes(memory.geometry + memory.indices)}</Fact>
        <Fact title="Images, encoded">{bytes(memory.images)}</Fact>
        <Fact title="Each visible character">{bytes(memory.perVisibleCharacter)}</Fact>
      </dl>
      <h3>Levels of detail</h3>
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              {['Level', 'Triangles', 'Vertices', 'Joints', 'Error', 'Memory'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {meshesOf(character).map((mesh, level) => {
              const facts = lodOf(mesh, joints.length);
              return (
                <tr key={level}>
                  <th scope="row">{level}</th>
                  <td>{countText(facts.triangles)}</td>
                  <td>{countText(facts.vertices)}</td>
                  <td>{countText(facts.joints)}</td>
                  <td>{millimetres(facts.error)}</td>
                  <td>{bytes(facts.bytes)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
