import { z } from 'zod';

// An answer may get more fields, so all objects are loose. The names and kinds of values are facts for the agent.
const Values = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));
const Page = z.url().describe('Address of the page for people.');
const Cut = z.string().optional().describe('Says how to get what is left out.');

const nextCursor = z.string().nullable().describe('Pass it as `cursor` to read the next page.');

const Run = z.looseObject({
  runId: z.string(),
  region: z.string(),
  state: z.string(),
  scores: Values.optional().describe('0 to 100.'),
  metrics: Values.optional().describe('Times such as "912ms", and CLS.'),
  error: z.looseObject({ code: z.string(), message: z.string(), blame: z.string() }).nullish(),
  nextStep: z.string().optional().describe('What to do about the error.'),
});

export const CheckAnswer = {
  checkId: z.string(),
  url: z.string(),
  state: z.string(),
  page: Page,
  runs: z.array(Run),
  next: z
    .looseObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })
    .optional()
    .describe('The call that waits for the end of an unfinished check.'),
  cut: Cut,
};

export const ListAnswer = {
  checks: z.array(z.looseObject({ checkId: z.string(), url: z.string(), state: z.string(), page: Page })),
  nextCursor,
};

export const PagesAnswer = {
  summary: z.string(),
  total: z.number(),
  pages: z.array(z.looseObject({ url: z.string(), changed: z.string() })),
  nextCursor,
};

export const SchedulesAnswer = {
  page: Page,
  schedules: z.array(
    z.looseObject({
      scheduleId: z.string(),
      name: z.string(),
      url: z.string(),
      every: z.string(),
      nextAt: z.string().nullable().describe('Null while the schedule is paused.'),
      last: z.string(),
      lastCheckId: z.string().optional(),
    }),
  ),
  more: z.int().optional().describe('Number of schedules that are left out.'),
  cut: Cut,
};

export const ComparisonAnswer = {
  checkId: z.string(),
  baseCheckId: z.string().nullable(),
  page: Page,
  comparable: z.boolean(),
  changes: z
    .array(z.looseObject({ metric: z.string(), verdict: z.string() }))
    .describe('Those with a verdict first. The texts have the change and its interval.'),
  cut: Cut,
};

export const ExplanationAnswer = {
  checkId: z.string(),
  baseCheckId: z.string(),
  page: Page,
  regions: z.record(z.string(), z.looseObject({ sentence: z.string() })),
  cut: Cut,
};

export const FixesAnswer = {
  runId: z.string(),
  url: z.string(),
  page: Page,
  fixes: z.array(
    z.looseObject({
      audit: z.string(),
      title: z.string(),
      items: z
        .array(
          z.looseObject({
            url: z.string().optional(),
            selector: z.string().optional(),
            bytes: z.int().optional(),
            ms: z.int().optional(),
          }),
        )
        .describe('Files and elements. Each has a URL or a selector.'),
    }),
  ),
  more: z.int().describe('Number of fixes that are left out.'),
  cut: Cut,
};
