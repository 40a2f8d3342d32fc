import type { CreateCheckBody } from '../../../shared/check.ts';
import { type SecretName, secretNames } from '../../../shared/options/secrets.ts';
import type { CreateScheduleBody, Every, Schedule } from '../../../shared/schedules.ts';
import type { Client } from '../../api/client.ts';
import { everyOf, isCron } from '../../words/schedules.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { ScheduleEditOptions, ScheduleOptions } from '../flags/options.ts';
import { readSecrets } from '../login/secrets.ts';
import { pageUrlFrom } from '../many/page-urls.ts';
import { bodiesOf, withSecrets } from '../run/run.ts';
import { schedulesTextOf } from './schedules-text.ts';

/** Creates a schedule and prints its id. */
export const add = (context: Context, page: string, options: ScheduleOptions): Promise<number> => {
  const url = pageUrlFrom(page);
  const every = everyFrom(options);
  const secretsOf = readSecrets(options, context.env);
  return ofService(context, async (client) => {
    const plain = bodiesOf(await regionsOf(client, context), [url], { ...options, assertions: undefined });
    const [check] = withSecrets(plain, secretsOf, context);
    const body = { name: options.name ?? url.slice(0, 100), every, check: check as CreateScheduleBody['check'] };
    const { id, nextAt } = await client.createSchedule(body, context);
    await context.print(`${id}\n`);
    context.note(`The first check is at ${nextAt}.`);
  });
};

/** Changes what the options say of a schedule. */
export const edit = (context: Context, id: string, given: ScheduleEditOptions): Promise<number> => {
  const options = { ...given, ...(given.url !== undefined && { url: pageUrlFrom(given.url) }) };
  const { name, timeZone } = options;
  if (Object.keys(options).length === 0) throw new UsageError('Say what to change, for example with --every 1d.');
  const secretsOf = readSecrets(options, context.env);
  return ofService(context, async (client) => {
    const found = (await client.schedules(context)).schedules.find((each) => each.id === id.toLowerCase());
    if (!found)
      throw new UsageError(`There is no schedule with the id ${id}. page-audit schedule list prints the ids.`);
    const { check: earlier, every: times } = found;
    const every = options.every ?? (timeZone !== undefined && typeof times !== 'string' ? times.cron : undefined);
    const check = await editedCheck(client, earlier, options, context);
    const [withNew] = options.forgetLogin ? [{ ...check, headers: {} }] : withSecrets([check], secretsOf, context);
    const isChanged = JSON.stringify(withNew) !== JSON.stringify(plainOf(earlier));
    const body = {
      ...(name !== undefined && { name }),
      ...(every !== undefined && { every: everyFrom({ every, timeZone }) }),
      ...(isChanged && { check: withNew as CreateCheckBody }),
    };
    if (Object.keys(body).length === 0) throw new UsageError('These options change nothing of the schedule.');
    const { nextAt } = await client.editSchedule(id, body, context);
    context.note(nextAt ? `The schedule is changed. The next check is at ${nextAt}.` : 'The schedule is changed.');
  });
};

const regionsOf = async (client: Client, { signal }: Context): Promise<string[]> =>
  (await client.regions({ signal })).regions.map(({ id }) => id);

/** Returns the check of a schedule with the options in place of its own inputs. */
const editedCheck = async (
  client: Client,
  earlier: Schedule['check'],
  options: ScheduleEditOptions,
  context: Context,
) => {
  const plain = plainOf(earlier);
  const inputs = {
    region: plain.regions,
    auditVersion: plain.auditVersion,
    ...options,
    assertions: undefined,
  };
  const [sent] = bodiesOf(await regionsOf(client, context), [options.url ?? plain.url], inputs);
  return { ...plain, ...sent } as CreateCheckBody;
};

/** Returns the inputs that everybody may read. Of the others the service shows only the names. */
const plainOf = (check: Schedule['check']) =>
  Object.fromEntries(
    Object.entries(check).filter(([name]) => !(secretNames as readonly string[]).includes(name)),
  ) as Omit<CreateCheckBody, SecretName>;

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
const ofService = async (context: Context, work: (client: Client) => Promise<void>): Promise<number> => {
  if (!context.serviceUrl)
    throw new UsageError('Schedules need a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  await withClient(context, undefined, work);
  return exitCodes.good;
};

/** Returns the times of a schedule. */
const everyFrom = ({ every, timeZone }: { every: string; timeZone?: string | undefined }): Every => {
  if (!isCron(every) && timeZone !== undefined)
    throw new UsageError(`--time-zone is for cron, and ${every} is an interval. Leave --time-zone out.`);
  return everyOf(every, timeZone);
};
