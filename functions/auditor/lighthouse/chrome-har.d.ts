declare module 'chrome-har' {
  /** Returns the HAR of a load by its messages of the DevTools protocol. */
  export const harFromMessages: (messages: readonly object[]) => object;
}
