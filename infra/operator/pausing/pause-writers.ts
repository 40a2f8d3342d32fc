import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../environments.ts';
import { type Aws, ifMissing, type Shape } from '../aws-cli.ts';
import { type Placed, type Writers, writersOf } from './writers.ts';

/** State of the writers before a pause, which `resume` puts back. */
type Before = {
  at: string;
  concurrency: (Placed & { reserved: number | null })[];
  mappings: { uuid: string; region: string; enabled: boolean }[];
};

type Deps = { aws: Aws; note: (line: string) => void; wait?: (ms: number) => Promise<unknown>; now?: () => Date };

/** An audit takes at most ten minutes. Messages that are in flight for longer belong to processes that have died. */
const LONGEST_MS = 11 * 60_000;
const POLL_MS = 20_000;
const PAUSED = 'PausedByOperator';

/**
 * Stops everything that writes to the table of an environment, and waits for what runs. Stores the state before in the
 * parameter store first, so that a pause which ends halfway can be repeated or undone. Neither a deploy nor a repeated
 * pause changes what it stored.
 */
export const pauseWriters = async (environment: Environment, { aws, note, wait = sleep, now }: Deps): Promise<void> => {
  const writers = writersOf(environment);
  const stored = await storedState(environment, aws);
  const before = stored ?? (await stateOf(writers, aws, now?.() ?? new Date()));
  if (stored) note(`The writers were paused at ${stored.at}. The state before that is kept.`);
  else await storeState(environment, before, aws);

  for (const { name, region } of before.concurrency)
    await aws('lambda put-function-concurrency', region, { FunctionName: name, ReservedConcurrentExecutions: 0 });
  note(`${before.concurrency.length} functions start no more.`);
  for (const { uuid, region } of before.mappings) await setMapping(uuid, region, false, { aws, wait });
  for (const queue of writers.queues) await changePolicy(queue, aws, (others, arn) => [...others, denialOf(arn)]);
  note(`${writers.queues.length} queues give out no messages, also to workers on instances.`);
  await waitForRunning(writers, { aws, note, wait });
};

/** Puts back the state that `pauseWriters` stored. Can be repeated. Returns false if no pause is stored. */
export const resumeWriters = async (environment: Environment, { aws, note, wait = sleep }: Deps): Promise<boolean> => {
  const before = await storedState(environment, aws);
  if (!before) return false;
  for (const queue of writersOf(environment).queues) await changePolicy(queue, aws, (others) => others);
  for (const { uuid, region, enabled } of before.mappings) await setMapping(uuid, region, enabled, { aws, wait });
  for (const { name, region, reserved } of before.concurrency) {
    const FunctionName = name;
    if (reserved === null) await aws('lambda delete-function-concurrency', region, { FunctionName });
    else await aws('lambda put-function-concurrency', region, { FunctionName, ReservedConcurrentExecutions: reserved });
  }
  for (const { uuid, enabled } of before.mappings)
    if (!enabled) note(`The mapping ${uuid} was disabled before the pause, and stays so.`);
  await aws('ssm delete-parameter', environment.homeRegion, { Name: parameterOf(environment) });
  note(`The writers have the state of ${before.at} again.`);
  return true;
};

/** Returns the time since which the writers of an environment are paused, or undefined. */
export const pausedSince = async (environment: Environment, aws: Aws): Promise<string | undefined> =>
  (await storedState(environment, aws))?.at;

const parameterOf = ({ names }: Environment): string => `/${names.service}/paused-writers`;

const storedState = async (environment: Environment, aws: Aws): Promise<Before | undefined> => {
  const found = await aws('ssm get-parameter', environment.homeRegion, { Name: parameterOf(environment) }).catch(
    ifMissing('ParameterNotFound'),
  );
  return found && JSON.parse(found.Parameter.Value);
};

/** Stores the state once. Two operators who pause at the same time can't store the pause of the other. */
const storeState = async (environment: Environment, before: Before, aws: Aws): Promise<void> => {
  const input = { Name: parameterOf(environment), Value: JSON.stringify(before), Type: 'String', Overwrite: false };
  await aws('ssm put-parameter', environment.homeRegion, input);
};

const stateOf = async ({ called, fed }: Writers, aws: Aws, at: Date): Promise<Before> => ({
  at: at.toISOString(),
  concurrency: await Promise.all(
    called.map(async ({ name, region }) => {
      const found = await aws('lambda get-function-concurrency', region, { FunctionName: name });
      return { name, region, reserved: found.ReservedConcurrentExecutions ?? null };
    }),
  ),
  mappings: (
    await Promise.all(
      fed.map(async ({ name, region }) => {
        const found = await aws('lambda list-event-source-mappings', region, { FunctionName: name });
        return found.EventSourceMappings.map(({ UUID: uuid, State }: Shape) => {
          const enabled = !/^Disabl/.test(State); // also true while it is being created or enabled
          return { uuid, region, enabled };
        });
      }),
    )
  ).flat(),
});

/** Enables or disables a mapping. AWS refuses that for some seconds after another change of it. */
const setMapping = async (
  UUID: string,
  region: string,
  Enabled: boolean,
  { aws, wait }: Required<Pick<Deps, 'aws' | 'wait'>>,
): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const changed = await aws('lambda update-event-source-mapping', region, { UUID, Enabled }).catch((error: Error) => {
      if (tries === 12 || !/^Resource(InUse|Conflict)Exception$/.test(error.name)) throw error;
    });
    if (changed) return;
    await wait(POLL_MS);
  }
};

/** Statement with which a queue gives out no message. Jobs stay, and no refused delivery counts. */
const denialOf = (Resource: string) => ({
  Sid: PAUSED,
  Effect: 'Deny',
  Principal: '*',
  Action: 'sqs:ReceiveMessage',
  Resource,
});

/** Changes the statements of a queue's policy that are not of a pause. */
const changePolicy = async (
  { name, region }: Placed,
  aws: Aws,
  change: (others: Shape[], arn: string) => Shape[],
): Promise<void> => {
  const { QueueUrl } = await aws('sqs get-queue-url', region, { QueueName: name });
  const { Attributes } = await aws('sqs get-queue-attributes', region, {
    QueueUrl,
    AttributeNames: ['Policy', 'QueueArn'],
  });
  const policy: Shape = Attributes.Policy ? JSON.parse(Attributes.Policy) : { Version: '2012-10-17', Statement: [] };
  const Statement = change(
    policy.Statement.filter(({ Sid }: Shape) => Sid !== PAUSED),
    Attributes.QueueArn,
  );
  const Policy = Statement.length > 0 ? JSON.stringify({ ...policy, Statement }) : '';
  await aws('sqs set-queue-attributes', region, { QueueUrl, Attributes: { Policy } });
};

/** Waits until no message is in flight: each belongs to a function or a worker that still runs. */
const waitForRunning = async ({ queues }: Writers, { aws, note, wait }: Required<Omit<Deps, 'now'>>): Promise<void> => {
  const urls = await Promise.all(
    queues.map(async ({ name, region }) => {
      const { QueueUrl } = await aws('sqs get-queue-url', region, { QueueName: name });
      return { QueueUrl, region };
    }),
  );
  for (let waited = 0; waited < LONGEST_MS; waited += POLL_MS) {
    const counts = await Promise.all(urls.map((queue) => inFlight(queue, aws)));
    const running = counts.reduce((sum, each) => sum + each, 0);
    // Functions that are called take up to a minute, and no queue shows them.
    if (running === 0 && waited >= 60_000) return note('Nothing writes any more.');
    if (waited % 60_000 === 0)
      note(running > 0 ? `${running} audits and deliveries still run …` : 'Waiting a minute …');
    await wait(POLL_MS);
  }
  note('Messages are still in flight after eleven minutes. Their processes have died, so nothing writes any more.');
};

const inFlight = async ({ QueueUrl, region }: { QueueUrl: string; region: string }, aws: Aws): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessagesNotVisible'];
  const { Attributes } = await aws('sqs get-queue-attributes', region, { QueueUrl, AttributeNames });
  return Number(Attributes.ApproximateNumberOfMessagesNotVisible);
};
