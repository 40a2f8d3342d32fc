import { z } from 'zod';

type Bounds = { max: number; message?: string | undefined };

/**
 * Returns the schema of a map whose names its sender chose. It refuses the name `__proto__`, because `z.record` drops it
 * together with its value. It refuses a map with more names than `max` before it judges them, because each wrong one costs.
 */
export const chosenNames = <Value extends z.ZodType>(
  name: z.ZodString,
  value: Value,
  { max, message = `At most ${max} names.` }: Bounds,
  error?: string,
) =>
  z.preprocess(
    (map, context) => {
      const names = Object.keys(Object(map)).length;
      if (names > max) context.issues.push({ code: 'custom', message, input: map });
      if (Object.hasOwn(Object(map), '__proto__'))
        context.issues.push({ code: 'custom', path: ['__proto__'], message: 'Use another name.', input: map });
      return names > max ? z.NEVER : map;
    },
    z.record(name, value, error),
  );
