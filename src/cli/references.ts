/** Guid and fileID of an unresolved Unity clip; undefined for other references. */
export function unityReference(reference: string): { readonly guid: string; readonly fileID: string } | undefined {
  const [, guid, fileID] = /^([0-9a-f]{32}):(-?\d+)$/.exec(reference) ?? [];
  return guid === undefined || fileID === undefined ? undefined : { guid, fileID };
}
