/** Returns the buffers of some values that a message can hand over. A copy of a large one would hold the process. */
export const buffersIn = (values: readonly unknown[]): ArrayBuffer[] =>
  values
    .filter((each) => each instanceof Uint8Array)
    .flatMap(({ buffer, byteLength }) =>
      buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : [],
    );

/** Returns the parts of a result that may be bytes: itself, its fields, or those of its entries. */
export const partsOf = (result: unknown): unknown[] =>
  result instanceof Uint8Array ? [result] : [result].flat().flatMap((each) => Object.values(Object(each)));
