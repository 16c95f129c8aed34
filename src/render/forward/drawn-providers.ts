import type { Crowd } from '../../crowd/crowd.ts';
import { error, ManipleError, type Issue, quoted } from '../../errors.ts';
import type { Bindings } from '../../layout/index.ts';
import { declarationsOf, namesOf } from '../../stages/declarations.ts';
import { moduleIssues } from '../../stages/find-issues.ts';
import { linkDraws, type ProvidedKernel } from '../../stages/link-providers.ts';
import { usedResources, type UsedResource } from '../../stages/provider-resources.ts';
import { channelConstant, type VertexProvider } from '../../stages/providers.ts';
import type { SkinnedChannel } from '../../stages/skinned-channel.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** Vertex providers that run in draws: those of types with `skin: 'vertex'`. */
export class DrawnProviders {
  readonly #list: readonly VertexProvider[];
  readonly #channel: SkinnedChannel | undefined;
  /** Providers of all types that draws skin. One shader has them all, and each batch of vertices selects its own. */
  readonly mask: number;
  readonly used: readonly UsedResource[];
  readonly #modules = new Map<string, { readonly module: GPUShaderModule; readonly linked: ProvidedKernel }>();

  constructor(crowd: Crowd) {
    const { host } = internalsOf(crowd);
    const { tables } = host;
    this.#list = host.shape.providers;
    this.#channel = host.shape.skinnedChannel;
    const drawn = tables.types.filter(({ skin }) => skin === 'vertex');
    this.mask = drawn.reduce((mask, { providers }) => mask | providers, 0);
    this.used = usedResources(this.#list, this.mask, 'vertex');
  }

  get names(): readonly string[] {
    return this.#chosen.flatMap(({ code }) => namesOf(code));
  }

  get #chosen(): readonly VertexProvider[] {
    return this.#list.filter((_, index) => (this.mask >>> index) & 1);
  }

  /**
   * Compiles a shader with the providers in it.
   * @param link Adds other code after the lines of the text. @throws ManipleError PROVIDER_INVALID: a name is taken
   */
  compile(
    device: GPUDevice,
    label: string,
    code: string,
    { group, entries }: Bindings,
    link: (code: string) => string = (text) => text,
  ): GPUShaderModule {
    const known = this.#modules.get(code);
    if (known) return known.module;
    this.#expectFreeNames(code);
    const binding = Object.keys(entries).length;
    const linked = linkDraws(code, this.#list, this.mask, { group, binding, channel: this.#channel });
    const module = device.createShaderModule({ label: `${label} with providers`, code: link(linked.code) });
    this.#modules.set(code, { module, linked });
    return module;
  }

  /** Checks for mistakes that only the compiler finds. @throws ManipleError PROVIDER_INVALID, with the line of the provider */
  async check(): Promise<void> {
    const found = await Promise.all(
      Array.from(this.#modules.values(), ({ module, linked }) => moduleIssues(module, linked)),
    );
    const issues = found.find((list) => list.length > 0);
    if (issues) throw new ManipleError(issues);
  }

  #expectFreeNames(code: string): void {
    const taken = declarationsOf(code);
    const issues = this.#chosen.flatMap(({ name, code: text, channels = [] }): Issue[] => {
      const declared = [...namesOf(text), ...channels.map(channelConstant)];
      const messages = declared
        .filter((own) => taken.has(own))
        .map((own) => `${quoted(own)} is taken, by shaders that draw.`);
      return messages.map((message) => error('PROVIDER_INVALID', `provider ${name}`, message, 'Rename it.'));
    });
    if (issues.length > 0) throw new ManipleError(issues);
  }
}
