import { ServiceError } from '../../api/service-error.ts';
import { type ReadOptions, type SendOptions, Transport } from '../../api/transport.ts';
import { serviceUrl, withoutBase } from '../base.ts';
import { preferOwnRight } from '../session/own-checks.ts';
import { askForKey, readKey } from '../session/session.ts';
import { withShareToken } from '../session/share.ts';
import { messageOfLimit } from './own-messages.ts';

/** Which state the page shows after a failed request. */
type FailureKind = 'offline' | 'key' | 'too-many' | 'missing' | 'refused' | 'failed';

/** A failed request, in the words of the page. */
export type Failure = Pick<ServiceError, 'errors' | 'requestId' | 'retryAfter'> & {
  kind: FailureKind;
  title: string;
  message: string;
};

const FAILED = 'The service sent no readable answer. Retry in a minute.';

/** Returns what the page shows after an error. An answer that is none of the service comes for example from a proxy. */
export const failureOf = (error: unknown): Failure => {
  if (!(error instanceof ServiceError)) {
    return { kind: 'failed', title: 'No readable answer', message: FAILED, ...noDetails };
  }
  const { errors, requestId, retryAfter, status } = error;
  const kind = kindOf(error);
  if (kind === 'offline') {
    const message = 'The service is unreachable. Check your connection.';
    return { kind, title: 'No connection', message, ...noDetails };
  }
  const { title = status === undefined ? 'No readable answer' : `The answer has status ${status}` } = error;
  const message = error.kind === 'problem' ? error.message : FAILED;
  const limit = messageOfLimit(message);
  if (limit) return { kind: 'refused', title: 'No more are allowed', message: limit, ...noDetails };
  return { kind, title, message, errors, requestId, retryAfter: retryAfter ?? (kind === 'too-many' ? 10 : undefined) };
};

/** Returns the same with the errors of fields in words of the page. The browser loads these words at the first such error. */
export const wordedFailureOf = async (error: unknown): Promise<Failure> => {
  const failure = failureOf(error);
  if (failure.errors.length === 0) return failure;
  const words = await import('./field-messages.ts').catch(() => null); // the texts of the API are right too
  if (!words) return failure;
  return { ...failure, errors: failure.errors.map((each) => ({ ...each, message: words.messageAt(each) })) };
};

/** Returns the text of the first error of a field. */
export const messageOf = (errors: Failure['errors'], name: string): string | undefined =>
  errors.find(({ path }) => path.split('.')[0] === name)?.message;

const noDetails = { errors: [], requestId: undefined, retryAfter: undefined };

const kindOf = ({ kind, status = 0, code }: ServiceError): FailureKind => {
  if (kind === 'unreachable') return 'offline';
  if (status === 401 || code === 'unauthorized') return 'key';
  if (status === 429) return 'too-many';
  if (status === 404) return 'missing';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
};

/** Calls a transport with the key of this tab. If the key is missing or refused, the page asks for another one. */
const withKey = async <Result>(act: (transport: Transport) => Promise<Result>): Promise<Result> => {
  const key = readKey();
  try {
    return await act(transportOf(key));
  } catch (error) {
    const { kind, message } = failureOf(error);
    if (kind !== 'key') throw error;
    if (readKey() !== key) return withKey(act); // the user has entered another key meanwhile
    askForKey(message);
    throw error;
  }
};

/** Calls a transport with the key of this tab and a path of the API, which has the share token if the tab needs it. */
const withPath = <Result>(path: string, act: (transport: Transport, path: string) => Promise<Result>) =>
  withKey(async (transport) => {
    const plain = withoutBase(path);
    await preferOwnRight(plain, readKey(), transport);
    return act(transport, withShareToken(plain));
  });

export const transportOf = (key: string | null): Transport =>
  new Transport({ url: serviceUrl(), ...(key !== null && { key }) });

/** Sends a request. Throws a ServiceError if it fails. */
export const send = (path: string, options?: SendOptions): Promise<Response> =>
  withPath(path, (transport, sent) => transport.send(sent, options));

/** Reads JSON. The page shows each text as text, so its characters can do no harm. */
export const read = async <Body>(path: string, options?: ReadOptions) => {
  const answer = await withPath(path, (transport, sent) => transport.read<Body>(sent, { ...options, asIs: true }));
  await nextTask(); // a long answer and a long table block the page one after the other
  return answer;
};

/** Lets the browser answer a user before the work goes on. */
export const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));

type WaitOptions = { etag: string; signal: AbortSignal; waits?: boolean };

/** Waits for a change since an entity tag. Reads at once without a tag, or if `waits` is false. */
export const readOrWait = <Body>(path: string, { etag, ...options }: WaitOptions) =>
  withPath(path, (transport, sent) => transport.readOrWait<Body>(sent, etag, { ...options, asIs: true }));

/** Reads JSON that is always complete, because the request has no entity tag. */
export const readBody = async <Body>(path: string, options?: ReadOptions): Promise<Body> =>
  (await read<Body>(path, options)).data as Body;

/** Creates a check. A repeated call with the same idempotency key creates no second check. */
export const createCheck = (inputs: object, idempotencyKey: string): Promise<{ id: string }> =>
  readBody('/v1/checks', { method: 'POST', body: inputs, headers: { 'idempotency-key': idempotencyKey } });

/** Returns a random idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A link that anyone may read for some days. */
export type Link = { url: string; expiresAt: string };

/** Creates a link with which anyone can read a check for some days, for example `7d`. */
export const createShareLink = (checkId: string, expiresIn: string): Promise<Link> =>
  readBody(`/v1/checks/${checkId}/links`, { method: 'POST', body: { expiresIn } });

/** Revokes all links of a check. */
export const revokeShareLinks = (checkId: string) => send(`/v1/checks/${checkId}/links`, { method: 'DELETE' });
