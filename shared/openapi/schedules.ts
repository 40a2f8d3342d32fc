import { CreateScheduleBody, EditScheduleBody, Schedule, ScheduleList } from '../schedules.ts';
import type { Operations } from './operation.ts';

const tag = 'Schedules';

const check = {
  url: 'https://example.com/',
  auditVersion: 'latest',
  regions: ['us-west1', 'europe-north1'],
  samples: 5,
} satisfies CreateScheduleBody['check'];
const every = { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' };

const aSchedule = {
  id: '0b6f2c1e-7d43-4f58-9a3e-5c1d2e3f4a5b',
  name: 'The home page on working days',
  every,
  check: { ...check, regions: ['us-west1', 'europe-north1'] },
  createdAt: '2026-11-20T09:30:00.000Z',
  pausedAt: null,
  nextAt: '2026-11-24T05:00:00.000Z',
  last: {
    scheduledFor: '2026-11-23T05:00:00.000Z',
    at: '2026-11-23T05:00:21.318Z',
    checkId: '71cce6bf-3f0d-5f1c-8a5e-0a3b5c1d2e3f',
    error: null,
  },
  watched: ['us-west1' as const, 'europe-north1' as const].map((region) => ({
    region,
    state: 'normal' as const,
    metrics: [],
    interactions: [],
    since: null,
    reason: null,
    checkId: '71cce6bf-3f0d-5f1c-8a5e-0a3b5c1d2e3f',
  })),
  links: { self: '/v1/schedules/0b6f2c1e-7d43-4f58-9a3e-5c1d2e3f4a5b' },
} satisfies Schedule;

const answer = (description: string, example: Schedule) => ({ 200: { description, schema: Schedule, example } });

/** The documentation of the routes of schedules. */
export const scheduleOperations = {
  'POST /v1/schedules': {
    tag,
    operationId: 'createSchedule',
    summary: 'Create a schedule',
    description:
      'Creates the check at each time of `every`. `check` is the body of a create of a check. If the service was down at some times, it creates one check for all of them. A check that could not be created is shown in `last`, and the schedule goes on. The service keeps secrets of the check as long as the schedule, and never shows them.',
    body: { schema: CreateScheduleBody, example: { name: aSchedule.name, every, check } },
    answers: {
      201: {
        description: 'The schedule.',
        schema: Schedule,
        example: { ...aSchedule, nextAt: '2026-11-23T05:00:00.000Z', last: null, watched: [] },
        headers: ['location'],
      },
    },
    problems: [
      'unsupported-region',
      'unsupported-audit-version',
      'forbidden-target',
      'payload-too-large',
      'unsupported-media-type',
      'too-many-requests',
    ],
  },
  'GET /v1/schedules': {
    tag,
    operationId: 'listSchedules',
    summary: 'List your schedules, oldest first',
    answers: { 200: { description: 'The schedules.', schema: ScheduleList, example: { schedules: [aSchedule] } } },
  },
  'GET /v1/schedules/{scheduleId}': {
    tag,
    operationId: 'getSchedule',
    summary: 'Read a schedule',
    answers: answer('The schedule.', aSchedule),
    problems: ['not-found'],
  },
  'PATCH /v1/schedules/{scheduleId}': {
    tag,
    operationId: 'editSchedule',
    summary: 'Change the name, the times or the check of a schedule',
    description:
      'Changes the parts that are sent. `check` replaces the whole check, but without any of headers, basicAuth, cookies, storageState and secretTexts the schedule keeps its own, if the origin of the URL stays. `headers: {}` erases all of them. Changed times give a new next time.',
    body: { schema: EditScheduleBody, example: { every: '6h' } },
    answers: answer('The schedule.', { ...aSchedule, every: '6h', nextAt: '2026-11-23T09:30:00.000Z' }),
    problems: [
      ...['unsupported-region' as const, 'unsupported-audit-version' as const, 'forbidden-target' as const],
      ...['not-found' as const, 'payload-too-large' as const, 'unsupported-media-type' as const],
    ],
  },
  'DELETE /v1/schedules/{scheduleId}': {
    tag,
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule and its secrets. Its checks stay',
    answers: { 204: { description: 'The schedule is deleted.' } },
    problems: ['not-found'],
  },
  'POST /v1/schedules/{scheduleId}/pause': {
    tag,
    operationId: 'pauseSchedule',
    summary: 'Pause a schedule',
    answers: answer('The schedule.', { ...aSchedule, pausedAt: '2026-11-23T08:00:00.000Z', nextAt: null }),
    problems: ['not-found'],
  },
  'POST /v1/schedules/{scheduleId}/resume': {
    tag,
    operationId: 'resumeSchedule',
    summary: 'Resume a schedule at its next time',
    answers: answer('The schedule.', aSchedule),
    problems: ['not-found'],
  },
} satisfies Partial<Operations>;
