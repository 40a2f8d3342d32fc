import { z } from 'zod';
import { differenceCodes } from '../../shared/comparison/spoils.ts';
import { type ListName, listParameter, type ParameterName, parametersOf } from '../../shared/list-parameters.ts';
import { plainOptionNames } from '../../shared/options/audit-options.ts';
import { SentOptions } from '../../shared/options/audit-options-schemas.ts';
import { pick } from '../../shared/pick.ts';
import { Limit } from './fit.ts';
import { MAX_LISTED } from './list.ts';
import { MAX_WAIT_SECONDS } from './summary.ts';

/** Returns the schema of the inputs of a tool. An unknown input is an error that lists those of the tool. */
const inputsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `The tool has no input ${(keys as string[]).join(', ')}. Its inputs are ${Object.keys(shape).join(', ')}.`
        : undefined,
  });

/** An id, without the long pattern that each agent would read. */
const Id = z.string().refine((text) => z.uuid().safeParse(text).success, 'Not a UUID');
const checkId = Id.describe('Id of a check.');

export const RunInputs = inputsOf({
  url: z.string().describe('The page, for example https://example.com/.'),
  regions: z.array(z.string()).min(1).optional().describe('Default: the first region of the service.'),
  auditVersion: z.string().default('latest').describe('Lighthouse version or major, such as 13.'),
  ...pick(SentOptions.shape, plainOptionNames), // an agent gets no secrets
  assertions: SentOptions.shape.assertions.describe('Limits of Lighthouse CI by audit, or sets of them.'),
  idempotencyKey: z
    .string()
    .regex(/^[ -~]{1,255}$/)
    .optional()
    .describe('A repeated call with it makes no second check.'),
  limit: Limit,
});

export const GetInputs = inputsOf({
  checkId,
  waitSeconds: z
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(0)
    .describe('Waits so long for the end of an unfinished check.'),
  limit: Limit,
});

/** Returns the inputs of a tool for the parameters of a list. A label is `name=value`. */
const listInputs = <List extends ListName>(list: List) => {
  const inputs = parametersOf(list).flatMap((name) => {
    const { agent, values } = listParameter(name);
    if (!agent) return [];
    const [first, ...others] = values ?? [];
    const value = first === 'true' ? z.boolean() : first === undefined ? z.string() : z.enum([first, ...others]);
    const schema = (name === 'label' ? z.array(z.string()) : value).optional();
    return [[agent.name ?? name, agent.help ? schema.describe(agent.help) : schema]];
  });
  return inputsOf({
    ...(Object.fromEntries(inputs) as Record<string, z.ZodOptional>),
    limit: z.int().min(1).max(MAX_LISTED).optional().describe('Most entries.'),
    cursor: z.string().optional(),
  });
};

export const ListInputs = listInputs('checks');
export const PagesInputs = listInputs('pages');

/** Returns the query of a list for the inputs of its tool. */
export const listQueryOf = (list: ListName, inputs: Record<string, unknown>): Record<string, string | string[]> => {
  const queryOf = (name: ParameterName, value: unknown) => {
    if (Array.isArray(value)) return value.map(withColon);
    return name === 'since' ? withColon(`${value}`) : `${value}`;
  };
  const sent = parametersOf(list)
    .map((name) => [name, inputs[listParameter(name).agent?.name ?? name]] as const)
    .filter(([name, value]) => value !== undefined && name !== 'limit');
  return Object.fromEntries(sent.map(([name, value]) => [name, queryOf(name, value)]));
};

export const SchedulesInputs = inputsOf({ limit: Limit });

/** Returns a label as a list takes it. */
const withColon = (label: string): string => label.replace(/^([^:=]+)=/, '$1:');

/** A check, its base, and how the two are compared. */
export const CompareInputs = inputsOf({
  checkId,
  baseCheckId: Id.optional().describe('The earlier check.'),
  baseLabel: z.string().optional().describe('Or the newest check of the page with a label such as branch=main.'),
  pool: z.int().min(1).max(10).optional().describe('Checks with the label that make the base. Default: 5.'),
  again: z.array(Id).optional().describe('More heads.'),
  intended: z.array(z.enum(differenceCodes)).optional().describe('Differences that were meant.'),
  limit: Limit,
}).refine(
  ({ baseCheckId, baseLabel }) => baseCheckId === undefined || baseLabel === undefined,
  'The base is one check. Pass baseCheckId or baseLabel.',
);

export const FixesInputs = inputsOf({
  id: Id.describe('Id of a finished run, or of a check: then its worst run.'),
  limit: Limit,
});

/** Returns the base of a comparison as the service names it. */
export const baseOf = ({ baseCheckId, baseLabel, pool, again, intended }: z.output<typeof CompareInputs>) => ({
  pool,
  again,
  intended,
  base: baseCheckId ?? (baseLabel === undefined ? undefined : `label:${baseLabel.replace(/^([^:=]+):/, '$1=')}`),
});
