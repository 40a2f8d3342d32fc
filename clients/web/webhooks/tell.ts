import { pageEvents, type WebhookFormat } from '../../../shared/webhook-events.ts';
import type { CreatedWebhook, WebhookList } from '../../../shared/webhooks.ts';
import { ServiceError } from '../../api/service-error.ts';
import { withScheme } from '../../words/urls.ts';
import { useLoaded } from '../requests/loading.ts';
import { readBody } from '../requests/requests.ts';

/** Hosts of chats, with the format of their messages. A URL of another host gets signed events. */
const formats: readonly (readonly [host: RegExp, format: WebhookFormat])[] = [
  [/(^|\.)slack\.com$/, 'slack'],
  [/(^|\.)(office\.com|office365\.com|logic\.azure\.com|powerplatform\.com)$/, 'teams'],
  [/(^|\.)(discord\.com|discordapp\.com)$/, 'discord'],
];

/** Returns the format that the receiver of a URL reads. */
export const formatOf = (url: string): WebhookFormat => {
  const host = URL.parse(url)?.hostname ?? '';
  return formats.find(([of]) => of.test(host))?.[1] ?? 'standard';
};

/** Returns the webhooks that learn when a page gets worse. */
export const useTold = () => {
  const loaded = useLoaded<WebhookList>('/v1/webhooks');
  return { ...loaded, told: loaded.data?.webhooks.filter(({ events }) => events.includes('page.regressed')) };
};

/** Names of the inputs of a target: a webhook that exists, or the URL of a new one. */
export const TOLD = 'tell-webhook';
export const TELL_URL = 'tell-url';

/** Creates the webhook that a form describes. Returns undefined if the form names one that exists. */
export const createTold = async (form: FormData): Promise<CreatedWebhook | undefined> => {
  if (form.get(TOLD)) return undefined;
  const text = String(form.get(TELL_URL) ?? '').trim();
  const fault = (message: string) =>
    new ServiceError('problem', message, { status: 400, errors: [{ path: TELL_URL, message }] });
  if (text === '') throw fault('Paste the webhook address of a channel in Slack, Teams or Discord, or of your server.');
  const url = withScheme(text);
  try {
    const body = { url, events: pageEvents, format: formatOf(url) };
    return await readBody<CreatedWebhook>('/v1/webhooks', { method: 'POST', body });
  } catch (error) {
    const [first] = error instanceof ServiceError ? error.errors : [];
    throw first?.path === 'url' ? fault(first.message) : error;
  }
};
