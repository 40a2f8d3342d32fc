import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../../../shared/keys.ts';
import { type Buckets, filled, rateLimitHeaders, taken } from '../../../shared/limits.ts';
import { type PlanName, plans } from '../../../shared/plans.ts';
import { ApiProblem } from '../../../shared/problems.ts';
import { log } from '../log.ts';
import { type Db, getItem, ifAbsent, updateItem } from './dynamodb.ts';
import { bucketsKey } from './items.ts';

/*
 * Each plan has tokens of its own, as what is left of 200 runs a day says nothing of what is left of 50,000.
 * `stamp` is new with each write of the tokens, so that "stamp is still the one I saw" means "nobody took since".
 * A check that is open bears the day under which it is counted. Its count is given back by who closes or erases it; one
 * that is lost with a process counts no more after two days, when no check of its day can be open.
 */
const tokensOf = (plan: PlanName) => `tokens-${plan}`;
const dayOf = (ms: number) => `open-${new Date(ms).toISOString().slice(0, 10)}`;
const DAY_MS = 24 * 3600 * 1000;

/** What a create was allowed: the day that its check is counted under, and what to tell the client. */
export type Allowed = { countedOn?: string; headers: Record<string, string>; giveBack: () => Promise<void> };

export type LimitStore = ReturnType<typeof limitStore>;

/** Where the use that owners make of their plans is kept. */
export const limitStore = (db: Db) => {
  const lines = new Map<string, Line>();

  const read = async ({ owner, plan }: Line): Promise<Seen> => {
    return seenFrom(plan, await getItem(db, bucketsKey(owner)));
  };

  /** Writes what was taken from what was seen; undefined where somebody else took since. */
  const write = async (
    { owner, plan }: Line,
    seen: Seen,
    { buckets, checks }: Took,
    stamp: string,
  ): Promise<Seen | undefined> => {
    const today = dayOf(buckets.at);
    const gone = Object.keys(seen.open).filter((day) => day < oldestDay(buckets.at));
    // By then all is as if it had never been. Never sooner than was seen: another plan's tokens may need it.
    const expiresAt = Math.max(seen.expiresAt, Math.floor((buckets.at + 3 * DAY_MS) / 1000));
    const written = await updateItem(db, bucketsKey(owner), {
      set: { [tokensOf(plan)]: buckets, stamp, expiresAt },
      add: { [today]: checks },
      remove: gone,
      ...(seen.stamp ? { condition: '#stamp = :seen', values: { ':seen': seen.stamp } } : ifAbsent),
    });
    return written && seenFrom(plan, written);
  };

  /**
   * Answers all who wait in a line at once, by one write. What was seen last is good to allow by, as the write's
   * condition is that it still holds; nobody is refused by it, as others may have given back since.
   */
  const settle = async (line: Line, asked: Ask[]): Promise<Answer[]> => {
    let sent: { stamp: string; answers: Answer[] } | undefined;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const fresh = !line.seen;
      const seen = line.seen ?? (await read(line));
      line.seen = seen;
      // What is not answered is sent again: then it may be our own write that stood in the way.
      if (sent && sent.stamp === seen.stamp) return sent.answers;
      let took: Took | undefined;
      const answers = asked.map((ask) => {
        const answer = answerTo(line.plan, ask, seen, took);
        if ('buckets' in answer) took = answer;
        return answer;
      });
      if (!fresh && answers.some((answer) => 'refused' in answer)) {
        line.seen = undefined;
        continue;
      }
      if (!took) return answers;
      sent = { stamp: randomUUID(), answers };
      line.seen = await write(line, seen, took, sent.stamp);
      if (line.seen) return answers;
      await pause(Math.random() * Math.min(10 * 2 ** tries, 200)); // others are at it: not all again at once
    }
    throw new ApiProblem('unavailable', 'Too many creates of this owner at once. Try again.', {
      headers: { 'retry-after': '1' },
    });
  };

  const serve = async (line: Line): Promise<void> => {
    line.busy = true;
    while (line.waiting.length > 0) {
      const asked = line.waiting.splice(0);
      try {
        const answers = await settle(line, asked);
        for (const [i, ask] of asked.entries()) ask.resolve(answers[i] as Answer);
      } catch (error) {
        line.seen = undefined;
        for (const ask of asked) ask.reject(error);
      }
    }
    line.busy = false;
    if (lines.size > MOST_LINES) lines.delete(nameOf(line));
  };

  const ask = (of: Planned, asked: Pick<Ask, 'runs' | 'now'>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const line = lines.get(nameOf(of)) ?? { ...of, waiting: [], busy: false };
      lines.set(nameOf(of), line);
      line.waiting.push({ ...asked, resolve, reject });
      if (!line.busy) void serve(line);
    });

  /** Undoes what was taken for a check that did not come to be. What fails here is lost for a while, and no more. */
  const giveBack = async ({ owner, plan }: Planned, runs: number, countedOn: string): Promise<void> => {
    const tokens = tokensOf(plan);
    await updateItem(db, bucketsKey(owner), {
      set: { stamp: randomUUID() },
      add: { [`${tokens}.minute`]: runs, [`${tokens}.day`]: runs, [countedOn]: -1 },
      condition: `attribute_exists(#${countedOn})`,
    }).catch((error) => log.warn('what a create had taken was not given back', { error }));
  };

  return {
    /** Takes a token for each run, and counts one more open check. Throws the problem where a limit is reached. */
    take: async ({ owner, plan }: Caller, runs: number, now: Date): Promise<Allowed> => {
      if (!plan) return { headers: {}, giveBack: async () => {} };
      const answer = await ask({ owner, plan }, { runs, now });
      if ('refused' in answer) throw answer.refused;
      const countedOn = dayOf(answer.buckets.at);
      return {
        countedOn,
        headers: rateLimitHeaders(answer.buckets, plan),
        giveBack: () => giveBack({ owner, plan }, runs, countedOn),
      };
    },
  };
};

/** Counts an open check no more, whoever closed or erased it. */
export const uncount = (db: Db, owner: string, countedOn: string) =>
  updateItem(db, bucketsKey(owner), {
    add: { [countedOn]: -1 },
    condition: `#${countedOn} > :none`,
    values: { ':none': 0 },
  }).catch((error) => log.warn('a closed check is still counted as open', { error }));

const MOST_TRIES = 30;
const MOST_LINES = 1000; // owners, by each of their plans, whose last state an instance keeps in mind
const OPEN_RETRY_SECONDS = 10; // a check is closed when its audits are done: nobody knows when

/** Of the tokens, what is left by one plan; all else is the owner's. */
type Seen = {
  buckets: Buckets | undefined;
  stamp: string | undefined;
  expiresAt: number;
  open: Record<string, number>;
};
/** What is to be written: the buckets as they are now, and how many more checks are open than were seen. */
type Took = { buckets: Buckets; checks: number };
type Answer = Took | { refused: ApiProblem };
type Ask = {
  runs: number;
  now: Date;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};
type Planned = Required<Caller>;
/** Two lines of one owner meet in its item as two instances do: the stamp tells. */
type Line = Planned & { waiting: Ask[]; busy: boolean; seen?: Seen | undefined };

const nameOf = ({ owner, plan }: Planned) => `${owner} ${plan}`;

const oldestDay = (ms: number) => dayOf(ms - 2 * DAY_MS);

const seenFrom = (plan: PlanName, item: Record<string, unknown> = {}): Seen => ({
  buckets: item[tokensOf(plan)] as Seen['buckets'],
  stamp: item.stamp as Seen['stamp'],
  expiresAt: (item.expiresAt ?? 0) as number,
  open: Object.fromEntries(Object.entries(item).filter(([name]) => name.startsWith('open-'))) as Seen['open'],
});

/** The answer to one create, after those that `took` in the same breath. */
const answerTo = (plan: PlanName, { runs, now }: Ask, seen: Seen, took: Took | undefined): Answer => {
  const full = filled(took?.buckets ?? seen.buckets, plan, now);
  const checks = took?.checks ?? 0;
  const result = taken(full, plan, runs);
  const headers = rateLimitHeaders(full, plan);
  if ('limit' in result) {
    const { quota, name } = result.limit;
    return tooMany(`The plan allows ${quota} runs a ${name}.`, result.seconds, headers);
  }
  const { openChecks } = plans[plan];
  const days = Object.entries(seen.open).filter(([day]) => day >= oldestDay(full.at));
  if (checks + days.reduce((sum, [, count]) => sum + count, 0) >= openChecks) {
    return tooMany(`The plan allows ${openChecks} checks open at once.`, OPEN_RETRY_SECONDS, headers);
  }
  return { buckets: result, checks: checks + 1 };
};

const tooMany = (detail: string, seconds: number, headers: Record<string, string>) => ({
  refused: new ApiProblem('too-many-requests', `${detail} Try again in ${seconds} s.`, {
    headers: { ...headers, 'retry-after': String(seconds) },
  }),
});
