/** The parts of two untyped packages that the importer and `maniple inspect` use. */

declare module 'gltf-validator' {
  export interface ValidatorMessage {
    readonly code: string;
    readonly message: string;
    /** 0 error, 1 warning, 2 information, 3 hint. */
    readonly severity: number;
    readonly pointer?: string;
  }
  export interface ValidatorReport {
    readonly issues: { readonly messages: readonly ValidatorMessage[]; readonly truncated: boolean };
  }
  export interface ValidatorOptions {
    readonly maxIssues?: number;
    readonly writeTimestamp?: boolean;
    readonly ignoredIssues?: readonly string[];
  }
  export function validateString(json: string, options?: ValidatorOptions): Promise<ValidatorReport>;
}

declare module 'draco3dgltf' {
  const draco: {
    createDecoderModule(options?: object): Promise<unknown>;
    createEncoderModule(options?: object): Promise<unknown>;
  };
  export default draco;
}

declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  export default function createDecoderModule(options?: object): Promise<unknown>;
}
