declare module '*.wasm?url' {
  /** Where the built page has the file. */
  const address: string;
  export default address;
}
