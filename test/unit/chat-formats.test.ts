import { expect, test } from 'vitest';
import { z } from 'zod';
import { chatBody, type SentEvent } from '../../functions/lib/webhooks/chat-formats.ts';

const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(max), emoji: z.boolean() });

/** The shapes that the documentation of each chat publishes, with its limits. */
const published = {
  slack: z.strictObject({
    text: z.string().min(1).max(4000),
    blocks: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('section'), text: plain(3000) }),
          z.strictObject({
            type: z.literal('context'),
            elements: z
              .array(
                z.strictObject({ type: z.literal('mrkdwn'), text: z.string().regex(/^<https?:[^<>|]+\|[^<>|]+>$/) }),
              )
              .max(10),
          }),
        ]),
      )
      .min(1)
      .max(50),
    unfurl_links: z.boolean(),
  }),
  teams: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.2'),
          body: z.array(
            z.strictObject({
              type: z.literal('RichTextBlock'),
              inlines: z.array(
                z.strictObject({
                  type: z.literal('TextRun'),
                  text: z.string().min(1),
                  weight: z.literal('Bolder').optional(),
                }),
              ),
            }),
          ),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() }))
            .optional(),
        }),
      }),
    ]),
  }),
  discord: z.strictObject({
    embeds: z
      .array(
        z.strictObject({
          title: z.string().max(256).optional(),
          url: z.url().optional(),
          description: z.string().min(1).max(4096),
        }),
      )
      .max(10),
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  }),
};
const formats = Object.keys(published) as (keyof typeof published)[];

const id = '71cce6bf-3f0d-4f1c-8a5e-0a3b5c1d2e3f';
const regressed = (url: string, origin = 'https://audit.example.com') =>
  ({
    type: 'page.regressed',
    data: {
      ...{
        scheduleId: id,
        url,
        device: 'mobile',
        region: 'us-west1',
        checkId: id,
        baseCheckId: id,
        pooledCheckIds: [],
      },
      since: { checkId: id, createdAt: '2026-11-24T14:00:00.000Z', mark: null },
      metrics: [
        { name: 'performance', base: 74, value: 55 },
        { name: 'lcp', base: '2100ms', value: '3400ms' },
      ],
      interactions: [{ name: 'search', base: '104ms', value: '304ms' }],
      links: {
        check: `${origin}/checks/${id}`,
        comparison: `${origin}/comparisons/${id}...${id}`,
        page: `${origin}/pages?url=x`,
      },
    },
  }) as unknown as SentEvent;

test.each(formats)(
  'a regression is a message of %s with the page, the values and a link to its comparison',
  (format) => {
    const body = chatBody(format, regressed('https://shop.example/'));
    expect(published[format].parse(body)).toEqual(body);
    const text = JSON.stringify(body).replaceAll('\\', '');
    for (const part of [
      'got worse',
      'shop.example',
      'Performance: 74 → 55',
      '2.1 s → 3.4 s',
      'INP of search: 104 ms → 304 ms',
      `/comparisons/${id}...${id}`,
    ])
      expect(text).toContain(part);
    if (format === 'slack')
      // Mattermost and Rocket.Chat read the text alone
      expect((body as { text: string }).text).toMatch(
        /got worse\n[\s\S]*2\.1 s → 3\.4 s\n[\s\S]*<https:.*\/comparisons\/.*\|Open/,
      );
  },
);

test.each(formats)('a hostile or long URL stays a text within the limits of %s', (format) => {
  const hostile = `https://shop.example/<!channel>|@everyone[x](https://evil.example)**${'\u0000\u202e`'.repeat(900)}`;
  const body = chatBody(format, regressed(hostile));
  expect(published[format].parse(body)).toEqual(body);
  const text = JSON.stringify(body);
  expect(text).not.toMatch(/\u202e/);
  if (format === 'slack') expect((body as { text: string }).text).not.toContain('<!channel>');
  if (format === 'discord') expect(text).not.toMatch(/[^\\]@everyone|[^\\]\]\(/);
});

test.each(formats)('a service that does not know its own URL sends %s no link', (format) => {
  const body = chatBody(format, regressed('https://shop.example/', ''));
  expect(published[format].parse(body)).toEqual(body);
  expect(JSON.stringify(body)).not.toMatch(/comparisons|"url"/);
  const tested = chatBody(format, { type: 'webhook.test', data: { webhookId: id } });
  expect(published[format].parse(tested)).toEqual(tested);
});
