declare module 'vitest' {
  interface TaskMeta {
    /** Why this machine can't run the test. */
    missing?: string;
  }
}

/** Options of a test or suite that needs rights or tools. Skips it if `missing` says what this machine lacks. */
export const unlessMissing = (missing: string | undefined) =>
  missing === undefined ? {} : { skip: true, meta: { missing } };
