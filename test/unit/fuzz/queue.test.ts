import type { Context, SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { queue } from '../../../functions/lib/queue/consumer.ts';
import { allRegions } from '../../../shared/regions.ts';
import { AuditJob } from '../../../shared/service/audit-job.ts';
import { jsonText } from '../../../shared/service/env.ts';
import { assertProperty, fuzzTimeoutMs, numRuns, text } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

test('a consumer survives any message, handles each valid job, and fails every other message', async () => {
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
      const jobs = bodies.map((body) => jsonText.pipe(AuditJob).safeParse(body));
      const failed = jobs.flatMap(({ success }, i) => (success ? [] : [{ itemIdentifier: String(i) }]));
      expect(answer).toEqual({ batchItemFailures: failed });
      expect(handled.splice(0)).toEqual(jobs.flatMap(({ success, data }) => (success ? [data] : [])));
    }),
    Math.ceil(numRuns / 5),
  );
});
