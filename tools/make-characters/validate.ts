import { createRequire } from 'node:module';

/** The parts of the Khronos validator's report that matter here. Severity: 0 error, 1 warning, 2 information, 3 hint. */
interface Report {
  readonly issues: {
    readonly messages: readonly { code: string; message: string; severity: number; pointer?: string }[];
  };
}

interface Validator {
  validateBytes(bytes: Uint8Array, options: { maxIssues: number }): Promise<Report>;
}

/** Errors and warnings that the Khronos validator finds in a GLB, one line each. */
export async function faultsOf(bytes: Uint8Array): Promise<string[]> {
  const validator = createRequire(import.meta.url)('gltf-validator') as Validator;
  const { issues } = await validator.validateBytes(bytes, { maxIssues: 100 });
  return issues.messages
    .filter(({ severity }) => severity < 2)
    .map(({ code, message, pointer = '' }) => `${code} ${pointer} ${message}`);
}
