import { shiftText, timeText } from '../../../shared/explanation/words.ts';
import { interactionMetricTitle } from '../../../shared/interactions/metric-ids.ts';
import { type MainName, type MetricKind, pageMetrics } from '../../../shared/metrics/page-metrics.ts';
import type { CheckSummary } from '../../../shared/summaries.ts';
import { cutText, printable } from '../../../shared/text.ts';
import type { WebhookFormat } from '../../../shared/webhook-events.ts';
import type { PageEventData } from '../../../shared/webhooks.ts';

/** Event of a delivery with its data. */
export type SentEvent =
  | { type: 'check.completed'; data: CheckSummary }
  | { type: 'page.regressed' | 'page.recovered'; data: PageEventData }
  | { type: 'webhook.test'; data: { webhookId: string } };

/** A message for people. Its link is absolute, and absent if the service does not know its own URL. */
type Message = { title: string; text: string; link: string | undefined };

/** Most characters of a part of a message. Discord has the lowest limit for titles. */
const [MAX_TITLE, MAX_TEXT] = [250, 2000];

/** Returns the body of an event in the format of a chat. The texts of pages are never markup there. */
export const chatBody = (format: Exclude<WebhookFormat, 'standard'>, event: SentEvent, publicUrl = ''): object => {
  const { title, text, link } = messageOf(event, publicUrl);
  return bodies[format]({
    title: cutText(printable(title), MAX_TITLE),
    text: cutText(text, MAX_TEXT),
    link: link !== undefined && URL.canParse(link) ? link : undefined,
  });
};

const bodies: Record<Exclude<WebhookFormat, 'standard'>, (message: Message) => object> = {
  slack: ({ title, text, link }) => ({
    text: [slackText(title), slackText(text), ...(link ? [slackLink(link)] : [])].filter(Boolean).join('\n'), // Mattermost and Rocket.Chat show it, not the blocks
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: title, emoji: false } },
      ...(text ? [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }] : []),
      ...(link ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: slackLink(link) }] }] : []),
    ],
    unfurl_links: false,
  }),
  teams: ({ title, text, link }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [
            { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: title, weight: 'Bolder' }] },
            ...text
              .split('\n')
              .flatMap((line) => (line ? [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }] : [])),
          ],
          ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Open in Page audit', url: link }] }),
        },
      },
    ],
  }),
  discord: ({ title, text, link }) => ({
    embeds: [
      {
        description: cutText(`**${discordText(title)}**\n${discordText(text)}`, 4096),
        ...(link && { title: 'Page audit', url: link }),
      },
    ],
    allowed_mentions: { parse: [] },
  }),
};

/** Returns a text without the markup of Slack, and without links of Mattermost. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('](', '] (');

const slackLink = (link: string): string => `<${slackText(link).replaceAll('|', '%7C')}|Open in Page audit>`;

/** Returns a text without the markup of Discord. */
const discordText = (text: string): string => text.replace(/[\\`*_~|<>()[\]#@:-]/g, '\\$&');

const messageOf = (event: SentEvent, publicUrl: string): Message => {
  switch (event.type) {
    case 'webhook.test':
      return { title: 'Page audit can reach this channel.', text: '', link: publicUrl || undefined };
    case 'check.completed':
      return checkMessage(event.data, publicUrl);
    default:
      return pageMessage(event);
  }
};

const checkMessage = ({ url, state, runs, assertionsPassed, links }: CheckSummary, publicUrl: string): Message => ({
  title: `${state === 'succeeded' && assertionsPassed !== false ? '✔' : '✘'} ${url}: ${stateTexts[state] ?? state}`,
  text: [
    ...runs.map(({ region, performance, lcp }) =>
      performance === null
        ? `${region}: no result`
        : `${region}: Performance ${performance}${lcp ? `, LCP ${valueText('lcp', lcp)}` : ''}`,
    ),
    ...(assertionsPassed === false ? ['An assertion failed.'] : []),
  ].join('\n'),
  link: publicUrl && `${publicUrl}${links.page}`,
});

const stateTexts: Partial<Record<CheckSummary['state'], string>> = {
  succeeded: 'the check is finished',
  partial: 'some runs of the check failed',
  failed: 'the check failed',
};

const pageMessage = ({ type, data }: Extract<SentEvent, { type: 'page.regressed' | 'page.recovered' }>): Message => {
  const { url, device, region, since, metrics, interactions, links } = data;
  return {
    title: type === 'page.regressed' ? `✘ ${url} got worse` : `✔ ${url} recovered`,
    text: [
      `On ${device} in ${region}, since ${sinceText(since)} UTC.`,
      ...metrics.map(
        ({ name, base, value }) => `${pageMetrics[name].title}: ${valueText(name, base)} → ${valueText(name, value)}`,
      ),
      ...interactions.map(({ name, base, value }) => {
        const title = interactionMetricTitle({ interaction: name, metric: 'inp' });
        return `${title}: ${valueIn('time', base)} → ${valueIn('time', value)}`;
      }),
    ].join('\n'),
    link: links.comparison ?? links.page,
  };
};

/** Returns when a step was: the mark before it, or the first check after it. */
const sinceText = ({ createdAt, mark }: PageEventData['since']): string => {
  const time = (at: string) => at.slice(0, 16).replace('T', ' ');
  return mark ? `${mark.text}, ${time(mark.at)}` : time(createdAt);
};

/** Returns a value with its unit. Events have times such as `633ms`. */
const valueText = (name: MainName, value: string | number | null): string => valueIn(pageMetrics[name].kind, value);

const valueIn = (kind: MetricKind, value: string | number | null): string => {
  if (value === null) return 'unknown';
  const number = Number.parseFloat(`${value}`);
  if (kind === 'time') return timeText(number);
  return kind === 'shift' ? shiftText(number) : `${number}`;
};
