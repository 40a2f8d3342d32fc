import type { Context, SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { queue } from '../../../functions/lib/queue/consumer.ts';
import { allRegions } from '../../../shared/regions.ts';
import { AuditJob } from '../../../shared/service/audit-job.ts';
import { assertProperty, fuzzTimeoutMs, numRuns, text } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

test('a consumer survives any message and handles valid jobs only', async () => {
  const handled: AuditJob[] = [];
  const handler = queue({ schema: AuditJob }, () => async (job) => void handled.push(job));
  const uuid = fc.oneof(fc.uuid(), text);
  const job = fc.record(
    {
      checkId: uuid,
      runId: uuid,
      region: fc.oneof(fc.constantFrom(...allRegions), text),
      correlationId: fc.oneof(text, fc.jsonValue()),
      owner: fc.oneof(text, fc.jsonValue()),
      future: fc.jsonValue(),
    },
    { requiredKeys: ['checkId', 'runId'] },
  );
  const message = fc.oneof(
    job.map((value) => JSON.stringify(value)),
    fc.json(),
    text,
  );
  await assertProperty(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 10 }), async (bodies) => {
      const Records = bodies.map((each, i) => ({ messageId: String(i), body: each }));
      const answer = await handler({ Records } as SQSEvent, { getRemainingTimeInMillis: () => 1000 } as Context);
      expect(answer).toEqual({ batchItemFailures: [] });
      for (const each of handled.splice(0)) expect(AuditJob.parse(each)).toEqual(each);
    }),
    Math.ceil(numRuns / 5),
  );
});
