import type { Crowd } from '../crowd/crowd.ts';

/** Members of `Crowd` that `ManipleCrowd` has under the same names. The test lists the missing ones, with reasons. */
export const CROWD_MEMBERS = [
  'addCharacter',
  'attachmentCount',
  'attachmentsOf',
  'byteLength',
  'capacity',
  'clearModifiers',
  'column',
  'count',
  'crossFade',
  'despawn',
  'followGround',
  'frame',
  'group',
  'grow',
  'hide',
  'hideParts',
  'ids',
  'isAlive',
  'isHidden',
  'droppedEventCount',
  'modifyJoint',
  'setClips',
  'moveOrigin',
  'on',
  'origin',
  'getParameter',
  'setTransform',
  'play',
  'playState',
  'setPoseSource',
  'previousSocketMatrices',
  'providerViews',
  'readPose',
  'readSockets',
  'readControllers',
  'readStats',
  'readTransforms',
  'readVertices',
  'removeCharacter',
  'resetTrigger',
  'row',
  'setGround',
  'setMorph',
  'setParameter',
  'setProvider',
  'setProviderCharacterRows',
  'setProviderResources',
  'setProviderRows',
  'setProviderViews',
  'setSpeed',
  'setTint',
  'show',
  'showParts',
  'socketMatrices',
  'spawn',
  'teleport',
  'time',
  'timeScale',
  'timings',
  'trigger',
  'setParameters',
  'workDone',
] as const satisfies readonly (keyof Crowd)[];

/** The same members, typed and documented as `Crowd` has them. */
export type CrowdMembers = Pick<Crowd, (typeof CROWD_MEMBERS)[number]>;

/** Defines these members on a class. They delegate to its crowd. */
export function delegateMembers(prototype: { readonly core: Crowd }): void {
  for (const name of CROWD_MEMBERS) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: { readonly core: Crowd }): unknown {
        const value: unknown = this.core[name];
        return typeof value === 'function' ? value.bind(this.core) : value;
      },
      set(this: { readonly core: Record<string, unknown> }, value: unknown) {
        this.core[name] = value; // throws for read-only members, as in Crowd
      },
    });
  }
}
