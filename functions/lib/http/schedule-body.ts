import { z } from 'zod';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { ApiProblemError, type InputError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import {
  acceptedEvery,
  acceptedName,
  CreateScheduleBody,
  EditScheduleBody,
  type Every,
} from '../../../shared/schedules.ts';
import { everyError } from '../schedules/schedule-times.ts';
import type { TargetPolicy } from '../targets/public-addresses.ts';
import { type PlainBody, parseCheckBody } from './check-body.ts';
import { invalidInput, parseFields } from './input.ts';

type Rules = { regions: readonly Region[]; targets: TargetPolicy };
/** The check of a schedule. `keepsSecrets` is true for an edit that sends none. */
type ParsedCheck = { body: PlainBody; secrets: Secrets | undefined; keepsSecrets: boolean };

const accepted = { name: acceptedName, every: acceptedEvery, check: undefined };
/** The parts that are judged here. `parseCheck` judges the check. */
const anyCheck = { check: z.unknown() };
const CreateParts = CreateScheduleBody.extend(anyCheck);
const EditParts = EditScheduleBody.extend(anyCheck);

/** Returns the parts of a create. Throws one problem that lists every error, with those of the check under `check.`. */
export const parseSchedule = (sent: unknown, rules: Rules, now: Date) => {
  const { fields, errors } = parseFields(CreateParts, accepted, sent);
  const check = parseCheck((sent as Record<string, unknown>).check, rules);
  const all = errorsOf(errors, fields.every, check, now);
  if (all.length > 0 || 'errors' in check) throw invalidInput(all);
  return { name: fields.name as string, every: fields.every as Every, check };
};

/** Returns the parts of an edit. The check that it changes has the URL `url` and secrets, or none. */
export const parseScheduleEdit = (
  sent: unknown,
  rules: Rules,
  now: Date,
  before: { url: string; hasSecrets: boolean; secretTexts?: readonly string[] | undefined },
) => {
  const { fields, errors } = parseFields(EditParts, accepted, sent);
  const { check: sentCheck } = sent as Record<string, unknown>;
  const kept = { ...rules, keptTexts: before.secretTexts };
  const check = sentCheck === undefined ? undefined : parseCheck(sentCheck, kept);
  const isMoved = check && !('errors' in check) && originOf(check.body.url) !== originOf(before.url);
  const all = [
    ...errorsOf(errors, fields.every, check, now),
    ...(isMoved && before.hasSecrets && check.keepsSecrets ? [movedError] : []),
  ];
  if (Object.keys(sent as object).length === 0) throw new ApiProblemError('invalid-request', nothingSent);
  if (all.length > 0 || (check && 'errors' in check)) throw invalidInput(all);
  return { name: fields.name, every: fields.every, check };
};

const nothingSent = 'The body changes nothing. Send name, every or check.';
const movedError: InputError = {
  path: 'check.url',
  message:
    'The schedule keeps its headers, basicAuth, cookies, storageState and secretTexts for the origin of its URL only. Send them again with a URL of another origin, or send `headers: {}` to erase them.',
};

const originOf = (url: string): string | undefined => URL.parse(url)?.origin;

const errorsOf = (
  errors: readonly InputError[],
  every: Every | undefined,
  check: ParsedCheck | { errors: InputError[] } | undefined,
  now: Date,
): InputError[] => {
  const timesError = every === undefined ? undefined : everyError(every, now);
  return [
    ...uniquePaths(errors),
    ...(timesError ? [timesError] : []),
    ...(check && 'errors' in check ? check.errors : []),
  ];
};

/** Leaves one error of each path. A union has one for each of its forms, all with the same message. */
const uniquePaths = (errors: readonly InputError[]): InputError[] => [
  ...new Map(errors.map((error) => [error.path, error])).values(),
];

const parseCheck = (sent: unknown, rules: Rules): ParsedCheck | { errors: InputError[] } => {
  try {
    const { body, secrets } = parseCheckBody(sent, rules);
    const isEmpty = Object.values(secrets ?? {}).every((each) => Object.values(each).flat().length === 0);
    return { body, secrets: isEmpty ? undefined : secrets, keepsSecrets: secrets === undefined };
  } catch (error) {
    if (!(error instanceof ApiProblemError)) throw error;
    const { code, message, errors } = error;
    const all = errors ?? [{ path: '', message: message.replace('The body', 'The `check`') }];
    return {
      errors: all.map((each) => ({ code, path: each.path ? `check.${each.path}` : 'check', message: each.message })),
    };
  }
};
