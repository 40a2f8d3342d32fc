import { ApiProblemError } from '../../../shared/problems.ts';
import type { LastCheck } from '../../../shared/schedules.ts';
import { unlessAhead } from '../../../shared/times.ts';
import type { checkCreator } from '../checks/create-check.ts';
import { deriveCheckId } from '../http/idempotency.ts';
import { log } from '../log.ts';
import { nextTime } from '../schedules/schedule-times.ts';
import type { Due } from '../store/due.ts';
import type { ScheduleItem } from '../store/schedule-items.ts';
import type { ScheduleStore } from '../store/schedules.ts';
import type { SecretStore } from '../store/secrets.ts';

type Deps = {
  schedules: Pick<ScheduleStore, 'hold' | 'record' | 'moveOn' | 'erase'>;
  secrets: Pick<SecretStore, 'get'>;
  createCheck: ReturnType<typeof checkCreator>;
  now: () => Date;
};

/**
 * Creates the check of a due schedule, and makes the schedule due at its next time. Of several times that have passed, only the
 * first has a check. If the service itself fails, the schedule is due in a minute, and its check has the same id again.
 */
export const fireSchedule = async (deps: Deps, due: Due): Promise<void> => {
  const { schedules, now } = deps;
  const schedule = await schedules.hold(due, now());
  if (!schedule) return; // another sweep has it, or it was paused or deleted
  if (schedule.isHidden) return schedules.erase(schedule, now()); // its create or its deletion never ended
  const time = dueTimeOf(schedule, now());
  if (time <= now().toISOString()) await schedules.record(schedule, await createFor(deps, schedule, time), now());
  await schedules.moveOn(schedule, nextTime(schedule.every, new Date(schedule.createdAt), now()));
};

/**
 * Returns the time of the check that is due. The next time of a schedule may have had its check, if the clock was set back since.
 * Then the time after it is due.
 */
const dueTimeOf = ({ id, nextAt, last, every, createdAt }: ScheduleItem, now: Date): string => {
  if (nextAt === undefined) throw new Error(`the schedule ${id} is due and has no next time`);
  const done = unlessAhead(last?.scheduledFor, 0, now);
  if (done === undefined || done < nextAt) return nextAt;
  return nextTime(every, new Date(createdAt), new Date(done)).toISOString();
};

/** Creates a check. Returns it, or why the service refused it. */
const createFor = async (
  { createCheck, secrets, now }: Deps,
  { id, owner, plan, body, secretsKey }: ScheduleItem,
  scheduledFor: string,
): Promise<LastCheck> => {
  const sent = secretsKey === undefined ? {} : await secrets.get(secretsKey);
  if (!sent) throw new Error(`the secrets of the schedule ${id} are gone`);
  const ids = { requestId: `schedule ${id}`, scheduleId: id, key: keyOf(id, scheduledFor) };
  try {
    const reply = await createCheck({ owner, plan, body: { ...JSON.parse(body), ...sent }, ...ids });
    const { id: checkId } = reply.body as { id: string };
    return { scheduledFor, at: now().toISOString(), checkId, error: null };
  } catch (error) {
    if (!(error instanceof ApiProblemError)) throw error;
    const { code, message } = error;
    // An edit came between the create and its record, so that a repeated create has another body.
    if (code === 'idempotency-mismatch')
      return { scheduledFor, at: now().toISOString(), checkId: deriveCheckId(owner, ids.key), error: null };
    log.warn('The service refused the check of a schedule.', { owner, scheduleId: id, code });
    return { scheduledFor, at: now().toISOString(), checkId: null, error: { code, message } };
  }
};

/** Returns the idempotency key of a check. A client can't send it, because a header has no line break. */
const keyOf = (scheduleId: string, scheduledFor: string): string => `schedule\n${scheduleId}\n${scheduledFor}`;
