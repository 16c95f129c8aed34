import {
  GLSL3,
  type InstancedBufferGeometry,
  type Material,
  MeshBasicMaterial,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  type Mesh,
  NoBlending,
  type ShaderMaterial,
} from 'three/webgpu';
import type { IUniform, WebGLProgramParametersWithUniforms, WebGLRenderer } from 'three';
import { fail, quoted, shortened } from '../../errors.ts';
import type { PreparedDraw } from '../crowd-mesh.ts';
import { expectOneMaterial } from '../internals.ts';
import { copyMaterial } from '../materials.ts';

export type CrowdUniforms = Readonly<Record<string, IUniform>>;

/** Changes of a material's shaders. */
export interface ShaderChange {
  /** Different for different code. */
  readonly key: string;
  vertex(shader: string): string;
  fragment(shader: string): string;
  /** Called after the application's own change. */
  finish?(shader: Compiled): void;
}

/** Fields that a copy has of its own. */
const OWN: ReadonlySet<string> = new Set(['onBeforeCompile', 'customProgramCacheKey']);

/** A shader that is about to be compiled. */
export type Compiled = WebGLProgramParametersWithUniforms;

/**
 * Uniforms that an application's `onBeforeCompile` has added, by its material. Copies of a material share them, so that an
 * application can change them through the shader that it got last.
 */
const added = new WeakMap<Material, Record<string, IUniform>>();

/** @throws ManipleError THREE_UNSUPPORTED (not a material, a node material, or a raw shader) */
export function expectClassic(material: Material): void {
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'materials', message, suggestion);
  expectOneMaterial(material);
  const given = material as Material & { readonly isNodeMaterial?: boolean; readonly isRawShaderMaterial?: boolean };
  const name = shortened(`${material.type} ${quoted(material.name)}`);
  if (given.isNodeMaterial) {
    refuse(
      `${name} has nodes, which WebGLRenderer does not draw.`,
      'Use a classic material, or WebGPURenderer with `forceWebGL`.',
    );
  }
  if (given.isRawShaderMaterial) {
    const suggestion = 'Use ShaderMaterial: its `position` and `normal` are those of the posed vertex.';
    refuse(`${name} declares its own attributes, which crowds cannot replace.`, suggestion);
  }
}

/**
 * Copy of a material with other shaders. It shares colours and textures with the original, and the code that its `onBeforeCompile`
 * adds. `follow` copies all other changes.
 */
export class ChangedMaterial<M extends Material = Material> {
  readonly material: M;
  readonly #source: M;
  #version: number;

  constructor(source: M, change: ShaderChange, uniforms: CrowdUniforms) {
    expectClassic(source);
    this.#source = source;
    this.material = source.clone();
    this.#version = source.version;
    copyMaterial(source, this.material, OWN);
    this.material.onBeforeCompile = (shader, renderer) => {
      shader.vertexShader = change.vertex(shader.vertexShader);
      shader.fragmentShader = change.fragment(shader.fragmentShader);
      // a ShaderMaterial has its uniforms here, which its copies share
      shader.uniforms = { ...shader.uniforms, ...uniforms };
      compileOwn(source, shader, renderer as unknown as WebGLRenderer);
      change.finish?.(shader);
    };
    this.material.customProgramCacheKey = () => `crowd ${change.key} ${source.customProgramCacheKey()}`;
  }

  follow(): void {
    const isStructural = copyMaterial(this.#source, this.material, OWN);
    const { version } = this.#source;
    if (isStructural || version !== this.#version) this.material.needsUpdate = true;
    this.#version = version;
  }

  dispose(): void {
    this.material.dispose();
  }
}

/** Runs the application's own change of the shader. */
function compileOwn(source: Material, shader: Compiled, renderer: WebGLRenderer): void {
  const before = new Set(Object.keys(shader.uniforms));
  source.onBeforeCompile(shader, renderer as never);
  const known = added.get(source) ?? {};
  added.set(source, known);
  for (const [name, uniform] of Object.entries(shader.uniforms)) {
    if (!before.has(name)) shader.uniforms[name] = known[name] ??= uniform;
  }
}

type InstancedMeshPart = Mesh<InstancedBufferGeometry, Material>;

/** Materials that a mesh of a crowd is drawn with: pictures, shadow maps, and the scene's `overrideMaterial`. */
export class MeshMaterials {
  readonly #mesh: InstancedMeshPart;
  readonly #change: ShaderChange;
  readonly #uniforms: CrowdUniforms;
  readonly #own: ChangedMaterial;
  readonly #shadows: readonly ChangedMaterial[];
  readonly #others = new Map<Material, ChangedMaterial>();
  readonly #report: (thrown: unknown) => void;

  /** @param report Called for materials of the scene that cannot draw the crowd. */
  constructor(
    mesh: InstancedMeshPart,
    source: Material,
    change: ShaderChange,
    uniforms: CrowdUniforms,
    report: (thrown: unknown) => void,
  ) {
    this.#mesh = mesh;
    this.#change = change;
    this.#uniforms = uniforms;
    this.#report = report;
    this.#own = new ChangedMaterial(source, change, uniforms);
    const depth = new ChangedMaterial(new MeshDepthMaterial(), change, uniforms);
    const distance = new ChangedMaterial(new MeshDistanceMaterial(), change, uniforms);
    this.#shadows = [depth, distance];
    mesh.material = this.#own.material;
    mesh.customDepthMaterial = depth.material;
    mesh.customDistanceMaterial = distance.material;
  }

  follow(): void {
    this.#own.follow();
  }

  /**
   * Called before a draw. three.js draws with a material of the scene where it has one (`overrideMaterial`). A copy of it that draws the
   * crowd is drawn here instead, and three.js draws no instances.
   */
  prepare({ renderer, scene, camera, material }: PreparedDraw): void {
    const mesh = this.#mesh;
    if (!scene || material === mesh.material) return;
    const { geometry } = mesh;
    const { instanceCount } = geometry;
    try {
      let other = this.#others.get(material);
      if (!other) this.#others.set(material, (other = new ChangedMaterial(material, this.#change, this.#uniforms)));
      other.follow();
      mesh.modelViewMatrix.multiplyMatrices(camera.matrixWorldInverse, mesh.matrixWorld);
      mesh.normalMatrix.getNormalMatrix(mesh.modelViewMatrix);
      const classic = renderer as WebGLRenderer;
      classic.renderBufferDirect(camera, scene, geometry, other.material, mesh, null as never);
    } catch (thrown) {
      this.#report(thrown);
    }
    geometry.instanceCount = 0;
    mesh.onAfterRender = () => {
      geometry.instanceCount = instanceCount;
      mesh.onAfterRender = () => undefined;
    };
  }

  dispose(): void {
    for (const each of [this.#own, ...this.#shadows, ...this.#others.values()]) each.dispose();
  }
}

/** Copy of a material for draws that find a character in a pixel. */
export function pickedMaterial(source: Material, change: ShaderChange, uniforms: CrowdUniforms): Material {
  // a shader of GLSL 3 names its outputs itself, so its holes are not known
  const isNamed = (source as Partial<ShaderMaterial>).glslVersion === GLSL3;
  const { material } = new ChangedMaterial(isNamed ? new MeshBasicMaterial() : source, change, uniforms);
  const plain = { blending: NoBlending, transparent: false, fog: false, toneMapped: false, wireframe: false };
  for (const [key, value] of Object.entries(plain)) if (key in material) Object.assign(material, { [key]: value });
  return material;
}
