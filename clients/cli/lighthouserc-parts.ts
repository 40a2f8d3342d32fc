import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from './exit-codes.ts';
import { type ConfigFile, parsePart, readConfigFile } from './lighthouserc-file.ts';
import { merge } from './lighthouserc-merge.ts';

type Part = 'assert' | 'collect' | 'upload';

const Wrapper = z
  .looseObject({
    assert: z.unknown().optional(),
    collect: z.unknown().optional(),
    upload: z.unknown().optional(),
    extends: z.string().optional(),
  })
  .optional();
const Rc = z.looseObject(
  { ci: Wrapper, lhci: Wrapper, 'ci:client': Wrapper },
  { error: 'Expected an object such as { "ci": { "assert": { "assertions": {} } } }.' },
);

/**
 * Returns a part of a file of Lighthouse CI, merged over that of the file that it extends. Returns undefined if no file has
 * the part. `prepare` changes the part of each file before the merge.
 */
export const readPart = <T extends object>(
  name: string,
  part: Part,
  schema: z.ZodType<T>,
  prepare: (own: T) => T = (own) => own,
  extending: readonly string[] = [],
): T | undefined => {
  const path = resolve(name);
  if (extending.includes(path)) throw new UsageError(`${name} extends itself.`);
  const { own, base } = partsOf(readConfigFile(name), part, schema);
  const prepared = own && prepare(own);
  if (base === undefined) return prepared;
  const inherited = readPart(resolve(dirname(path), base), part, schema, prepare, [...extending, path]);
  return inherited && prepared ? (merge(inherited, prepared) as T) : (prepared ?? inherited);
};

/** Returns the part of a file, and the file that it extends. A later wrapper wins, as in Lighthouse CI. */
const partsOf = <T>(
  file: ConfigFile,
  part: Part,
  schema: z.ZodType<T>,
): { own: T | undefined; base: string | undefined } => {
  const rc = parsePart(Rc, file, file.content, []);
  const wrappers = (['ci:client', 'lhci', 'ci'] as const).filter((wrapper) => rc[wrapper]);
  const wrapper = wrappers.find((each) => rc[each]?.[part] !== undefined);
  const own = wrapper && parsePart(schema, file, rc[wrapper]?.[part], [wrapper, part]);
  return { own, base: wrappers.map((each) => rc[each]?.extends).find((each) => each !== undefined) };
};
