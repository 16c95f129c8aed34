import { loadModel } from '../../src/import/index.ts';
import { issuesOf } from '../../src/errors.ts';

/** What of a model must be the same wherever it was imported. */
export interface Summary {
  readonly name: string;
  readonly joints: readonly string[];
  readonly meshes: readonly { vertexCount: number; indices: number; sum: number }[];
  readonly clips: readonly { name: string; duration: number; tracks: number }[];
  readonly images: readonly string[];
  readonly issues: readonly string[];
}

declare global {
  interface Window {
    importTest: (url: string) => Promise<Summary | { readonly refused: string }>;
  }
}

window.importTest = async (url) => {
  try {
    const model = await loadModel(url);
    return {
      name: model.name,
      joints: model.joints.map(({ name }) => name),
      meshes: model.meshes.map(({ vertexCount, indices, positions }) => ({
        vertexCount,
        indices: indices.length,
        sum: positions.reduce((sum, value) => sum + value, 0),
      })),
      clips: model.clips.map(({ name, duration, tracks }) => ({ name, duration, tracks: tracks.length })),
      images: model.images.map(({ mimeType, bytes }) => `${mimeType} ${bytes.length}`),
      issues: model.issues.map(({ code }) => code),
    };
  } catch (thrown) {
    return { refused: issuesOf(thrown)[0]!.code };
  }
};
