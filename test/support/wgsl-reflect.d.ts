/** The part of wgsl_reflect that tests use; its own types do not cover this entry. */
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export class WgslReflect {
    constructor(code: string);
    readonly structs: readonly { readonly name: string }[];
    readonly functions: readonly { readonly name: string }[];
  }
}
