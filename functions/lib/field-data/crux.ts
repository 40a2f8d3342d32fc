import { z } from 'zod';
import { FIELD_WEEKS, type FieldDataReason } from '../../../shared/field-data.ts';
import type { FieldHistory, FieldRecord, FormFactor } from '../../../shared/field-data-schemas.ts';
import { jsonText } from '../../../shared/service/env.ts';
import { log } from '../log.ts';
import { cruxNames, HistoryAnswer, historyFrom, RecordAnswer, recordFrom } from './crux-answers.ts';

/** Page or origin that Chrome UX Report is asked about. */
export type Target = { url: string } | { origin: string };
/** Found record, or the reason why there is none. `no-data` and `refused` hold for the whole day. */
export type Found<T> = { found: T } | { reason: FieldDataReason };

/** Time limit of one query, in milliseconds. */
const QUERY_MS = 6000;
/** Largest answer that is read. A history of all metrics has some 40 KB. */
const MAX_ANSWER_BYTES = 512 * 1024;

type Options = { url: string; readKey: () => Promise<string | undefined>; fetch?: typeof fetch };

/** Returns the client of the Chrome UX Report API. The key is in a header, so that no URL in a log has it. */
export const cruxClient = ({ url, readKey, fetch: send = fetch }: Options) => {
  const query = async <Schema extends z.ZodType>(
    method: 'queryRecord' | 'queryHistoryRecord',
    body: object,
    schema: Schema,
  ): Promise<Found<z.output<Schema>>> => {
    const key = await readKey();
    if (key === undefined) return failed('bad-key', { method, why: 'no key is stored' });
    try {
      const answer = await send(`${url}/v1/records:${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(QUERY_MS),
      });
      const text = await textOf(answer);
      if (!answer.ok) return reasonOf(answer.status, text, method);
      const parsed = jsonText.pipe(schema).safeParse(text);
      return parsed.success
        ? { found: parsed.data }
        : failed('unavailable', { method, why: 'the answer has an unknown form' });
    } catch (error) {
      return failed('unavailable', { method, why: (error as Error).name });
    }
  };

  return {
    record: async (target: Target, formFactor: FormFactor): Promise<Found<FieldRecord>> => {
      const answer = await query('queryRecord', bodyOf(target, formFactor), RecordAnswer);
      return 'found' in answer ? { found: recordFrom(answer.found) } : answer;
    },
    history: async (target: Target, formFactor: FormFactor): Promise<Found<FieldHistory>> => {
      const body = { ...bodyOf(target, formFactor), collectionPeriodCount: FIELD_WEEKS };
      const answer = await query('queryHistoryRecord', body, HistoryAnswer);
      return 'found' in answer ? { found: { ...historyFrom(answer.found), formFactor } } : answer;
    },
  };
};
export type CruxClient = ReturnType<typeof cruxClient>;

const bodyOf = (target: Target, formFactor: FormFactor) => ({
  ...target,
  formFactor: formFactor.toUpperCase(),
  metrics: Object.values(cruxNames),
});

const textOf = async (answer: Response): Promise<string> => {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) throw new RangeError('the answer is too long');
  }
  return text + decoder.decode();
};

/** An error in the form of Google's APIs. */
const GoogleError = z.object({
  error: z.object({
    status: z.string(),
    details: z.array(z.looseObject({ reason: z.string().optional() })).optional(),
  }),
});

/** Returns why Google sent an error. Another server, such as a proxy, may answer with the same statuses but another body. */
const reasonOf = (status: number, text: string, method: string): { reason: FieldDataReason } => {
  const { data } = jsonText.pipe(GoogleError).safeParse(text);
  const names = [data?.error.status, ...(data?.error.details ?? []).map(({ reason }) => reason)];
  if (status === 429 || names.includes('RATE_LIMIT_EXCEEDED')) return failed('quota', { method, status });
  if (data && (status === 401 || status === 403 || names.some((name) => name?.startsWith('API_KEY_'))))
    return failed('bad-key', { method, status, names });
  if (status === 404 && names.includes('NOT_FOUND')) return { reason: 'no-data' };
  if (status === 400 && names.includes('INVALID_ARGUMENT')) return { reason: 'refused' };
  return failed('unavailable', { method, status });
};

const failed = (reason: FieldDataReason, facts: object): { reason: FieldDataReason } => {
  log.warn('A query of Chrome UX Report failed.', { reason, ...facts });
  return { reason };
};
