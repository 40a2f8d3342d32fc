import { z } from 'zod';
import { Origin } from '../shared/env.ts';
import { allRegions } from '../shared/regions.ts';
import { type Names, namesOf } from './names.ts';

/** What differs between environments. Everything else is the same in all of them. */
const Row = z.strictObject({
  homeRegion: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'not the name of an AWS region'), // table, reports, API
  regions: z
    .array(
      z.enum(allRegions, { error: ({ input }) => `there is no region "${input}"; there are ${allRegions.join(', ')}` }),
    )
    .min(1, 'at least one region is needed'),
  retentionDays: z.int().min(1), // checks and reports
  logDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]), // a choice of those that CloudWatch has
  auditsAtOnce: z.int().min(2, 'SQS starts at least two').max(1000), // in each region
  requests: z.object({ perSecond: z.number().positive(), burst: z.int().positive() }), // on each route
  creates: z.object({ perSecond: z.number().positive(), burst: z.int().positive() }), // POST /v1/checks
  corsOrigins: z.array(Origin), // whose pages may read the API's answers in a browser
  keepsData: z.boolean(), // table and reports stay when the stack is deleted
  deletionProtection: z.boolean(), // of the table and of every stack
});
type Row = z.output<typeof Row>;

export const environments = {
  dev: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 14,
    logDays: 7,
    auditsAtOnce: 2,
    requests: { perSecond: 20, burst: 40 },
    creates: { perSecond: 2, burst: 10 },
    corsOrigins: [],
    keepsData: false,
    deletionProtection: false,
  },
  staging: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 30,
    logDays: 14,
    auditsAtOnce: 5,
    requests: { perSecond: 50, burst: 100 },
    creates: { perSecond: 5, burst: 20 },
    corsOrigins: [],
    keepsData: false,
    deletionProtection: false,
  },
  prod: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 90,
    logDays: 90,
    auditsAtOnce: 50,
    requests: { perSecond: 500, burst: 1000 },
    creates: { perSecond: 50, burst: 100 },
    corsOrigins: [],
    keepsData: true,
    deletionProtection: true,
  },
} as const satisfies Record<string, z.input<typeof Row>>;

/** One environment, checked: its row, its names, and what the operator says beside it. */
export type Environment = Readonly<Row> & {
  name: string;
  names: Names;
  account: string | undefined; // undefined: whichever deploys it
  alarmEmail: string | undefined;
};

type OperatorSettings = { account?: string | undefined; alarmEmail?: string | undefined };

/** A setting that an operator can put right. Its message says how. */
export class InvalidSetting extends Error {}

/** The environment of a name. Throws a InvalidSetting that says what would be right. */
export const environmentOf = (
  name: string,
  { account, alarmEmail }: OperatorSettings = {},
  rows: Readonly<Record<string, unknown>> = environments,
): Environment => {
  if (!Object.hasOwn(rows, name)) {
    throw new InvalidSetting(`There is no environment "${name}". There are ${Object.keys(rows).join(', ')}.`);
  }
  const row = Row.safeParse(rows[name]);
  if (!row.success) {
    throw new InvalidSetting(`The environment "${name}" in infra/environments.ts:\n${z.prettifyError(row.error)}`);
  }
  if (new Set(row.data.regions).size < row.data.regions.length) {
    throw new InvalidSetting(`The environment "${name}" in infra/environments.ts names a region twice.`);
  }
  if (alarmEmail && !z.email().safeParse(alarmEmail).success) {
    throw new InvalidSetting(
      `"${alarmEmail}" is no e-mail address. Set ALARM_EMAIL, or -c alarmEmail=ops@example.com.`,
    );
  }
  if (account && !/^\d{12}$/.test(account)) {
    throw new InvalidSetting(`"${account}" is no AWS account: that is twelve digits. Set -c account=123456789012.`);
  }
  return {
    ...row.data,
    name,
    names: namesOf(name),
    account: account || undefined,
    alarmEmail: alarmEmail || undefined,
  };
};
