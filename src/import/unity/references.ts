import type { UnityReference } from './fields.ts';

/** Gives the name of a clip asset; undefined if it is not known. */
export type ResolveMotion = (guid: string, fileID: string) => string | undefined;

/** The name of a clip of another file for controllers: from the caller, else `guid:fileID`. */
export function motionName({ guid, fileID }: Required<UnityReference>, resolve: ResolveMotion | undefined): string {
  return resolve?.(guid, fileID) ?? `${guid}:${fileID}`;
}
