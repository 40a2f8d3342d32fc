import { keyParts } from '../../../shared/service/key-text.ts';
import { pause } from '../../api/retries.ts';
import type { Answer } from '../../api/transport.ts';
import { readKey } from '../session/session.ts';
import { withShareToken } from '../session/share.ts';
import type { Load } from './following.ts';
import { readOrWait } from './requests.ts';

/**
 * Returns how to wait for a change of a path. A browser opens six connections to a host, and a wait holds one for 25 s.
 * So a hidden tab does not wait, and one tab waits for all tabs that show the same.
 */
export const waitFor =
  <Data>(path: string): Load<Data> =>
  async ({ etag, signal, waits }) => {
    if (!waits || etag === '' || document.hidden) return readOrWait<Data>(path, { etag, signal, waits: false });
    const hidden = new AbortController();
    const end = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', end);
    try {
      const either = AbortSignal.any([signal, hidden.signal]);
      return await inOneTab<Data>(nameOf(path), etag, either, () => readOrWait<Data>(path, { etag, signal: either }));
    } catch (error) {
      if (!hidden.signal.aborted || signal.aborted) throw error;
      return { headers: new Headers() }; // nothing has changed that this tab knows of
    } finally {
      document.removeEventListener('visibilitychange', end);
    }
  };

/** Tabs with different keys may see different things, so they share nothing. */
const nameOf = (path: string): string => `wait ${keyParts(readKey() ?? '')?.prefix ?? ''} ${withShareToken(path)}`;

/** Time in which the message of the tab that held the lock arrives, in milliseconds. */
const MESSAGE_MS = 50;

/**
 * Runs a wait while no other tab runs one of this name. Until then, takes the answer that the other tab receives. A page
 * without TLS has no locks, so each of its tabs waits by itself.
 */
const inOneTab = async <Data>(
  name: string,
  etag: string,
  signal: AbortSignal,
  wait: () => Promise<Answer<Data>>,
): Promise<Answer<Data>> => {
  if (!navigator.locks) return wait();
  const channel = new BroadcastChannel(name);
  const received = new AbortController();
  let news: Answer<Data> | undefined;
  channel.onmessage = ({ data }: MessageEvent<{ etag: string; data: Data }>) => {
    if (data.etag === etag) return;
    news = { data: data.data, headers: new Headers({ etag: data.etag }) };
    received.abort();
  };
  try {
    return await navigator.locks.request(name, { signal: AbortSignal.any([signal, received.signal]) }, async () => {
      await pause(MESSAGE_MS, signal);
      if (news) return news;
      const answer = await wait();
      const changed = answer.headers.get('etag');
      if (answer.data !== undefined && changed) channel.postMessage({ etag: changed, data: answer.data });
      return answer;
    });
  } catch (error) {
    if (news) return news;
    throw error;
  } finally {
    channel.close();
  }
};
