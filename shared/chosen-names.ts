import { z } from 'zod';

/**
 * Returns the schema of a map whose names its sender chose. It refuses the name `__proto__`, because `z.record` drops it
 * together with its value.
 */
export const chosenNames = <Value extends z.ZodType>(name: z.ZodString, value: Value, error?: string) =>
  z.preprocess(
    (map, context) => {
      if (Object.hasOwn(Object(map), '__proto__')) {
        context.issues.push({ code: 'custom', path: ['__proto__'], message: 'Use another name.', input: map });
      }
      return map;
    },
    z.record(name, value, error),
  );
