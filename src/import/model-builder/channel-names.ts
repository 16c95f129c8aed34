import { CHANNEL_NAME_LIMIT } from '../../character/format/geometry-layout.ts';
import { CHANNEL_NAME_LENGTH, channelKey, SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import { quote } from './issue-list.ts';

/** Names of a file's channels. Kernels identify each by 32 bits. */
export class ChannelNames {
  readonly #known = new Map<number, string>([[channelKey(SECOND_TEXCOORD_NAME), SECOND_TEXCOORD_NAME]]);

  /** Why a name cannot be used; undefined: it can. */
  add(name: string): string | undefined {
    if (name.length > CHANNEL_NAME_LENGTH) return `its name has over ${CHANNEL_NAME_LENGTH} characters`;
    const key = channelKey(name);
    const same = this.#known.get(key);
    if (same === undefined && this.#known.size >= CHANNEL_NAME_LIMIT) {
      return `the file has over ${CHANNEL_NAME_LIMIT - 1} names of such attributes`;
    }
    if (same !== undefined && same.toUpperCase() !== name.toUpperCase()) {
      return `its name cannot be distinguished from ${quote(same)}, which has the same hash`;
    }
    this.#known.set(key, same ?? name);
    return undefined;
  }
}
