/**
 * An event that a webhook can receive. Its data is the check, or a page of a schedule. `title` completes "Send an event when".
 */
type Row = { of: 'check' | 'page'; title: string; summary: string; description: string; operationId: string };

/** The events that a webhook can receive. */
export const webhookEventRows = {
  'check.completed': {
    of: 'check',
    title: 'a check is finished',
    summary: 'All runs of a check are finished',
    description: 'all runs of a check are finished',
    operationId: 'checkCompleted',
  },
  'page.regressed': {
    of: 'page',
    title: 'a page of a schedule has regressed',
    summary: 'A page of a schedule has regressed',
    description: 'the series of a schedule has a step for the worse, by two checks at least',
    operationId: 'pageRegressed',
  },
  'page.recovered': {
    of: 'page',
    title: 'a page of a schedule has recovered',
    summary: 'A page of a schedule has recovered',
    description: 'the page is back',
    operationId: 'pageRecovered',
  },
} as const satisfies Record<string, Row>;

type Rows = typeof webhookEventRows;
export type WebhookEvent = keyof Rows;
export const webhookEvents = Object.keys(webhookEventRows) as [WebhookEvent, ...WebhookEvent[]];

/** Name of an event about a page of a schedule. */
export type PageEvent = { [Name in WebhookEvent]: Rows[Name]['of'] extends 'page' ? Name : never }[WebhookEvent];
export const pageEvents = webhookEvents.filter((name): name is PageEvent => webhookEventRows[name].of === 'page');

/** Shapes of the body of a delivery, with their names for people. */
export const webhookFormats = {
  standard: 'signed JSON',
  slack: 'Slack message',
  teams: 'Teams message',
  discord: 'Discord message',
};
export type WebhookFormat = keyof typeof webhookFormats;
