import { isSameElement, nameOfElement } from './elements.ts';
import type { ReportFacts } from './facts.ts';
import type { MetricGroup } from './metrics.ts';
import { either, pairsOf, type RequestPair, type ScriptPair } from './request-changes.ts';
import { bytesText, counted, shiftText, timeText, typeText } from './words.ts';

/**
 * A difference between two reports that may have changed a metric. An effect is an estimate in the unit of its group:
 * milliseconds, layout shift, or bytes. It is above 0 if the difference makes the metric worse.
 */
export type Cause = { key: string; text: string; effects: Readonly<Partial<Record<MetricGroup, number>>> };

/** Both reports, and their differences. */
export type Changes = {
  base: ReportFacts;
  now: ReportFacts;
  requests: readonly RequestPair[];
  scripts: readonly ScriptPair[];
};

/** Part of a script's time on the main thread that delays the paint. The rest of the time comes after the paint. */
const SCRIPT_SHARE_OF_LOAD = 0.3;
/** Part of a request's time that delays the paint if the request does not block it. */
const UNBLOCKING_SHARE = 0.3;
/** Least time that a change of a redirect or a blocking request costs: one round trip of the simulated phone. */
const ROUND_TRIP_MS = 150;
const MIN_SERVER_MS = 100;
const MIN_SHIFT = 0.01;

export const causesOf = (changes: Changes): Cause[] => [
  ...documentCauses(changes),
  ...changes.requests.map((pair) => requestCause(changes, pair)),
  ...changes.scripts.flatMap((pair) => scriptCause(changes, pair)),
  ...fontCauses(changes),
  ...shiftCauses(changes),
];

/** Returns the change of the LCP element, or undefined if it is the same one in both reports. */
export const lcpElementCause = ({ base, now }: Pick<Changes, 'base' | 'now'>): Cause | undefined => {
  const [a, b] = [base.lcpElement, now.lcpElement];
  if (!a || !b || isSameElement(a, b)) return undefined;
  const text = `the LCP element is now ${nameOfElement(b)} instead of ${nameOfElement(a)}`;
  return { key: 'lcp-element', text, effects: {} };
};

const documentCauses = ({ base, now }: Changes): Cause[] => {
  const causes: Cause[] = [];
  const redirects = (now.redirects ?? 0) - (base.redirects ?? 0);
  if (redirects !== 0 && base.redirects !== null && now.redirects !== null) {
    const ms = Math.max(ROUND_TRIP_MS * Math.abs(redirects), Math.abs(now.redirectMs - base.redirectMs));
    const text = `${counted(now.redirects, 'redirect')} instead of ${base.redirects}`;
    causes.push({ key: 'redirects', text, effects: { load: Math.sign(redirects) * ms } });
  }
  const [before, after] = [base.serverResponseMs, now.serverResponseMs];
  if (before !== null && after !== null && Math.abs(after - before) >= MIN_SERVER_MS) {
    const text = `the server responds in ${timeText(after)} instead of ${timeText(before)}`;
    causes.push({ key: 'server', text, effects: { load: after - before } });
  }
  return causes;
};

const requestCause = ({ now }: Changes, pair: RequestPair): Cause => {
  const { key, name, type, thirdParty } = either(pair);
  const blocks = either(pair).blocking;
  const noun = `${thirdParty ? 'third-party ' : ''}${typeText(type)} ${name}`;
  const blocking = blocks ? `${thirdParty ? 'third-party ' : ''}render-blocking ${typeText(type)} ${name}` : noun;
  const transfer = pair.bytes * now.msPerByte;
  const share = blocks ? 1 : UNBLOCKING_SHARE;
  switch (pair.list) {
    case 'added':
    case 'gone': {
      const sign = pair.list === 'added' ? 1 : -1;
      const wait = blocks ? sign * Math.max(ROUND_TRIP_MS, Math.abs(pair.ms)) : share * pair.ms;
      const size = bytesText(pair.bytes);
      const text = sign > 0 ? `new ${blocking} (${size})` : `${blocking} (${size}) is gone`;
      return { key, text, effects: { load: transfer + wait, weight: pair.bytes } };
    }
    case 'larger':
    case 'smaller': {
      const text = `${noun} is ${bytesText(pair.bytes)} ${pair.list}`;
      return { key, text, effects: { load: transfer, weight: pair.bytes } };
    }
    default: {
      const [before, after] = [pair.base?.ms ?? 0, pair.now?.ms ?? 0];
      const text = `${blocking} takes ${timeText(after)} instead of ${timeText(before)}`;
      return { key, text, effects: { load: share * pair.ms } };
    }
  }
};

/** Returns the cause of a script's time, or none for work that Lighthouse attributes to no address. */
const scriptCause = ({ base, now }: Changes, pair: ScriptPair): Cause[] => {
  const { key, name, thirdParty } = either(pair);
  const request = now.requests.get(key) ?? base.requests.get(key);
  if (!request) return [];
  const time = timeText(Math.abs(pair.ms));
  const fresh = base.requests.has(key) ? '' : 'new ';
  const subject = `${fresh}${thirdParty ? 'third-party ' : ''}${typeText(request.type)} ${name}`;
  const comparison = pair.ms > 0 ? 'longer' : 'less';
  const text = `${subject} keeps the main thread busy ${pair.base ? `${time} ${comparison}` : `for ${time}`}`;
  return [{ key, text, effects: { cpu: pair.ms, load: SCRIPT_SHARE_OF_LOAD * pair.ms } }];
};

/** A font that hides its text until it arrives delays what people see by its whole time. */
const fontCauses = ({ base, now }: Changes): Cause[] =>
  pairsOf(base.hiddenText, now.hiddenText).flatMap((pair) => {
    if (pair.base && pair.now) return [];
    const { name, ms } = either(pair);
    const effect = Math.max(ROUND_TRIP_MS, ms);
    return pair.now
      ? [{ key: `font ${name}`, text: `font ${name} hides text until it arrives`, effects: { load: effect } }]
      : [{ key: `font ${name}`, text: `font ${name} no longer hides text`, effects: { load: -effect } }];
  });

const shiftCauses = ({ base, now }: Changes): Cause[] =>
  pairsOf(base.shifts, now.shifts).flatMap((pair) => {
    const shift = (pair.now?.score ?? 0) - (pair.base?.score ?? 0);
    if (Math.abs(shift) < MIN_SHIFT) return [];
    const element = nameOfElement(either(pair).element);
    const text = pair.now ? `${element} moves (${shiftText(pair.now.score)})` : `${element} no longer moves`;
    return [{ key: `shift ${element}`, text, effects: { shift } }];
  });
