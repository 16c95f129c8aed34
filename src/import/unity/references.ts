import type { UnityReference } from './fields.ts';

/** Gives the name of the clip that an asset of Unity is; undefined if it is not known. */
export type ResolveMotion = (guid: string, fileID: string) => string | undefined;

/** What a controller calls a clip of another file: what the caller calls it, else `guid:fileID`. */
export function motionName({ guid, fileID }: Required<UnityReference>, resolve: ResolveMotion | undefined): string {
  return resolve?.(guid, fileID) ?? `${guid}:${fileID}`;
}
