declare module 'chrome-har' {
  export type Har = {
    log: { entries: { _requestId: string; request: { url: string }; response: { _error?: string } }[] };
  };
  /** Returns the HAR of a load by its messages of the DevTools protocol. */
  export const harFromMessages: (messages: readonly object[]) => Har;
}
