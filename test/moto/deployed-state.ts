import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { type RunItem, runKey } from '../../functions/lib/store/items.ts';
import { writersOf } from '../../infra/operator/pausing/writers.ts';
import { environment as soundHost } from '../support/environment.ts';
import { aCheck, passed } from '../support/world.ts';
import { type Deployed, environment, REGION } from './deployed.ts';

/* What a test of a cure makes and sees on moto. */

const { homeRegion } = environment;

const lambda = ({ call }: Deployed, path: string) => call(['lambda', homeRegion], { path });
export const configurationOf = (aws: Deployed, name: string) =>
  lambda(aws, `/2015-03-31/functions/${name}/configuration`);
export const concurrencyOf = async (aws: Deployed, name: string): Promise<number | undefined> =>
  (await lambda(aws, `/2019-09-30/functions/${name}/concurrency`)).ReservedConcurrentExecutions;
export const mappingsOf = async (aws: Deployed, name: string): Promise<string[]> => {
  const { EventSourceMappings } = await lambda(aws, `/2015-03-31/event-source-mappings/?FunctionName=${name}`);
  return EventSourceMappings.map(({ State }: { State: string }) => State);
};
export const queueOf = async ({ world: { sqs } }: Deployed, QueueName: string) => {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return { QueueUrl, policy: Attributes.Policy ?? '', messages: Number(Attributes.ApproximateNumberOfMessages) };
};
/** Returns the state that a pause changes, of all writers. */
export const writersNow = async (aws: Deployed) => {
  const { called, fed, queues } = writersOf(environment);
  return {
    concurrency: await Promise.all(called.map(({ name }) => concurrencyOf(aws, name))),
    mappings: (await Promise.all(fed.map(({ name }) => mappingsOf(aws, name)))).flat(),
    policies: await Promise.all(queues.map(async ({ name }) => (await queueOf(aws, name)).policy)),
  };
};

export const newRun = async ({ world }: Deployed): Promise<RunItem> => {
  const [run] = await world.create(aCheck({ regions: [REGION] }), { owner: 'acme' });
  return run as RunItem;
};
export const keyOf = ({ checkId, id }: RunItem) => {
  const { pk, sk } = runKey(checkId, id);
  return { pk: { S: pk }, sk: { S: sk } };
};
export const itemIn = async ({ dynamodb }: Deployed, TableName: string, run: RunItem) =>
  (await dynamodb.send(new GetItemCommand({ TableName, Key: keyOf(run) }))).Item;

/** Lets a command work, and finishes its runs meanwhile as a sound region does. */
export const audited = async <T>({ world }: Deployed, work: Promise<T>): Promise<T> => {
  const over = new AbortController();
  const scores = { performance: 100, accessibility: 100, bestPractices: 100, seo: 100 };
  const audits = (async () => {
    while (!over.signal.aborted) {
      for (const { checkId } of await world.jobsIn(REGION))
        await world.finish(await world.runOf(checkId), { ...passed, ...scores, environment: soundHost });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await audits;
  }
};

/** Answer of a create that names the region. */
export const create = async ({ api, world }: Deployed) => {
  const headers = { authorization: `Bearer ${(await world.newKey()).text}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: `${api.url}/sample`, auditVersion: 'latest', regions: [REGION] });
  return fetch(`${api.url}/v1/checks`, { method: 'POST', headers, body });
};
