import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isMap, merge } from '../../../shared/merge.ts';
import { UsageError } from '../exit-codes.ts';
import { AssertOptions, acceptAssert } from './assert.ts';
import { Collect } from './collect.ts';
import { type ConfigFile, checkPart, parsePart, placeText, readConfigFile, refuse } from './file.ts';

/** The parts of a file of Lighthouse CI, with those of the files that it extends. */
export type Lighthouserc = {
  name: string;
  assert: AssertOptions | undefined;
  collect: Collect;
  /** Parts of the file that Lighthouse CI ignores, and parts that have no counterpart here, with what to use instead. */
  notes: { assert: string[]; collect: string[] };
};

const Wrapper = z.looseObject({ extends: z.string().optional() }).optional();
const Rc = z.looseObject(
  { ci: Wrapper, lhci: Wrapper, 'ci:client': Wrapper },
  { error: 'Expected an object such as { "ci": { "assert": { "assertions": {} } } }.' },
);
const parts = ['assert', 'collect', 'upload'] as const;
const others: readonly string[] = ['extends', ...parts];

/** Reads a file of Lighthouse CI. Throws an error with all faults of the file and of those that it extends. */
export const readLighthouserc = async (name: string): Promise<Lighthouserc> => {
  const files = await readChain(name);
  refuse(files.flatMap(({ faults }) => faults));
  const merged = (part: (typeof parts)[number]) =>
    files
      .map((file) => file.parts[part])
      .filter((each) => each !== undefined)
      .reduce((own, base) => (own === undefined ? base : merge(base, own)), undefined as unknown);
  const assert = merged('assert');
  return {
    name,
    assert: assert === undefined ? undefined : AssertOptions.parse(assert),
    collect: Collect.parse(merged('collect') ?? {}),
    notes: {
      assert: files.flatMap(({ warnings }) => warnings),
      collect: [...new Set([...files.flatMap(({ unused }) => unused), ...(merged('upload') ? [UPLOAD] : [])])],
    },
  };
};

const UPLOAD = 'ci.upload has no effect. The service keeps the reports. Use --output to write files.';

type ReadFile = {
  parts: Partial<Record<(typeof parts)[number], unknown>>;
  faults: string[];
  warnings: string[];
  unused: string[];
};

/** Reads a file, and the files that it extends after it. */
const readChain = async (name: string, extending: readonly string[] = []): Promise<ReadFile[]> => {
  const path = resolve(name);
  if (extending.includes(path)) throw new UsageError(`${name} extends itself.`);
  const { base, ...read } = partsOf(await readConfigFile(name));
  if (base === undefined) return [read];
  return [read, ...(await readChain(resolve(dirname(path), base), [...extending, path]))];
};

/** Returns the parts of a file, and the file that it extends. A later wrapper wins, as in Lighthouse CI. */
const partsOf = (file: ConfigFile): ReadFile & { base: string | undefined } => {
  const rc = parsePart(Rc, file, file.content, []);
  const wrappers = (['ci:client', 'lhci', 'ci'] as const).filter((wrapper) => rc[wrapper]);
  const wrapperOf = (part: string) => wrappers.find((each) => rc[each]?.[part] !== undefined) ?? 'ci';
  const partOf = (part: string) => rc[wrapperOf(part)]?.[part];
  const assertPath = [wrapperOf('assert'), 'assert'];
  const {
    part: assert,
    warnings,
    faults: faultsOfKeys,
  } = acceptAssert(partOf('assert'), (path, text) => `${placeText(file, [...assertPath, ...path])}${text}`);
  const collect = partOf('collect');
  const faultsOf = (part: string, schema: z.ZodType, value: unknown) =>
    value === undefined ? [] : checkPart(schema, file, value, [wrapperOf(part), part]).faults;
  return {
    parts: { assert, collect, upload: partOf('upload') },
    faults: [
      ...new Set([
        ...faultsOf('assert', AssertOptions, assert),
        ...faultsOfKeys, // the schema judges keys only if all values are right
        ...faultsOf('collect', Collect, collect),
      ]),
    ],
    warnings,
    unused: wrappers.flatMap((wrapper) =>
      Object.keys(isMap(rc[wrapper]) ? rc[wrapper] : {})
        .filter((key) => !others.includes(key))
        .map((key) => `${placeText(file, [wrapper, key])}The part has no effect.`),
    ),
    base: wrappers.map((each) => rc[each]?.extends).find((each) => each !== undefined),
  };
};
