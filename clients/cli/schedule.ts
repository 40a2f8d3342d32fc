import type { CreateScheduleBody, Every } from '../../shared/schedules.ts';
import { Client } from '../api/client.ts';
import { everyOf, isCron } from '../words/schedules.ts';
import type { Context } from './context.ts';
import { exitCodes, UsageError } from './exit-codes.ts';
import { schedulesTextOf } from './formats/schedules-text.ts';
import type { ScheduleOptions } from './options.ts';
import { requireScheme } from './page-urls.ts';
import { bodiesOf, withSecrets } from './run.ts';
import { readSecrets } from './secrets.ts';

/** Creates a schedule and prints its id. */
export const add = (context: Context, url: string, options: ScheduleOptions): Promise<number> => {
  requireScheme(url);
  const every = everyFrom(options);
  const secretsOf = readSecrets(options, context.env);
  return ofService(context, async (client) => {
    const plain = await bodiesOf(client, [url], { ...options, sent: undefined }, context.signal);
    const [check] = withSecrets(plain, secretsOf, context);
    const body = { name: options.name ?? url.slice(0, 100), every, check: check as CreateScheduleBody['check'] };
    const { id, nextAt } = await client.createSchedule(body, context);
    await context.print(`${id}\n`);
    context.note(`The first check is at ${nextAt}.`);
  });
};

/** Prints the schedules, oldest first. */
export const list = (context: Context, { format }: { format: 'text' | 'json' }): Promise<number> =>
  ofService(context, async (client) => {
    const all = await client.schedules(context);
    await context.print(
      format === 'json'
        ? `${JSON.stringify(all, null, 2)}\n`
        : schedulesTextOf(all, { ...context.view, now: new Date() }),
    );
  });

export const pause = (context: Context, id: string): Promise<number> =>
  ofService(context, async (client) => {
    await client.changeSchedule(id, 'pause', context);
    context.note('The schedule is paused.');
  });

export const resume = (context: Context, id: string): Promise<number> =>
  ofService(context, async (client) => {
    const { nextAt } = await client.changeSchedule(id, 'resume', context);
    context.note(`The next check is at ${nextAt}.`);
  });

const remove = (context: Context, id: string): Promise<number> =>
  ofService(context, async (client) => {
    await client.deleteSchedule(id, context);
    context.note('The schedule is deleted.');
  });

export { remove as delete };

/** Calls `work` with a client of a service that goes on. */
const ofService = async ({ serviceUrl, key }: Context, work: (client: Client) => Promise<void>): Promise<number> => {
  if (!serviceUrl) throw new UsageError('Schedules need a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  await work(new Client({ url: serviceUrl, key }));
  return exitCodes.good;
};

/** Returns the times of a schedule. */
const everyFrom = ({ every, timeZone }: ScheduleOptions): Every => {
  if (!isCron(every) && timeZone !== undefined)
    throw new UsageError(`--time-zone is for cron, and ${every} is an interval. Leave --time-zone out.`);
  return everyOf(every, timeZone);
};
