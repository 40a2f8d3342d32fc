import type { CDPSession, Page } from 'puppeteer-core';
import type { InteractionScript } from '../../../shared/interactions/interactions-schemas.ts';
import { pick } from '../../../shared/pick.ts';
import type { Waits } from '../cpu-waits.ts';
import type { AuditOrder } from '../messages.ts';
import { scriptsOf } from './event-scripts.ts';
import { type LongestEvent, longestEvent } from './event-timing.ts';
import { patchTrace } from './patches.ts';
import { type LoadSettings, reportOf } from './result.ts';
import { type Lighthouse, throttlingFlags } from './run.ts';

export type Measured = {
  longest: (LongestEvent & { scripts: InteractionScript[] }) | undefined;
  tbt: number | null;
  cls: number | null;
  report: { gzip: Buffer; bytes: number };
};

/**
 * Gives the page the screen and the user agent of its load. It keeps them between the timespans, which would otherwise resize
 * the page at each start and end.
 */
export const emulateDevice = async (
  { importCore }: Lighthouse,
  session: CDPSession,
  settings: LoadSettings,
): Promise<void> => {
  const { emulate } = await importCore('lib/emulation.js');
  const sendCommand = (method: string, parameters?: object) =>
    session.send(method as 'Network.enable', parameters as never);
  await session.send('Network.enable');
  await emulate({ sendCommand }, settings);
};

/** Audits with pictures of the page. A picture could show a secret text that a step has typed. */
const PICTURES = ['screenshot-thumbnails', 'final-screenshot'];

/** Returns plain data without the pictures in its texts. Some releases add one to other audits. */
const withoutPictures = <Data>(data: Data): Data =>
  JSON.parse(
    JSON.stringify(data, (_, value) =>
      typeof value === 'string' ? value.replace(/data:image\/[^"')\s]*/g, '') : value,
    ),
  );

type Hooks = {
  /** Called when the trace ends. Returns the waits of the timespan. */
  onTraced: () => Promise<Waits>;
};

/** Starts a Lighthouse timespan. The returned function ends it. */
export const startTimespan = async (
  lighthouse: Lighthouse,
  { page, order, settings }: { page: Page; order: AuditOrder; settings: LoadSettings },
  { onTraced }: Hooks,
): Promise<() => Promise<Measured>> => {
  const { options, auditVersion } = order;
  let waits: Waits | undefined;
  const patched = patchTrace(lighthouse.trace, auditVersion, 1, async () => {
    waits = await onTraced();
    return waits;
  });
  const flags = {
    logLevel: 'silent',
    output: 'json',
    onlyCategories: ['performance'],
    skipAudits: ['full-page-screenshot', ...(order.secrets?.secretTexts ? PICTURES : [])],
    disableFullPageScreenshot: true,
    screenEmulation: { disabled: true },
    emulatedUserAgent: false,
    ...throttlingFlags(options),
    ...(options.blockedUrlPatterns && { blockedUrlPatterns: options.blockedUrlPatterns }),
  };
  const config = options.device === 'desktop' ? lighthouse.desktopConfig : undefined;
  const timespan = await lighthouse.startTimespan?.(page, { flags, config });
  return async () => {
    const result = await timespan?.endTimespan();
    if (!result) throw new Error('Lighthouse returned no result.');
    const { lhr } = result;
    const numberOf = (audit: string) => lhr.audits[audit]?.numericValue ?? null;
    Object.assign(lhr.configSettings, pick(settings, ['screenEmulation', 'emulatedUserAgent'])); // they come from `emulateDevice`
    const { traceEvents } = patched()?.recorded ?? { traceEvents: [] };
    const longest = longestEvent(traceEvents, waits);
    return {
      longest: longest && { ...longest.event, scripts: scriptsOf(traceEvents, longest.window) },
      tbt: numberOf('total-blocking-time'),
      cls: numberOf('cumulative-layout-shift'),
      report: await reportOf(order.secrets?.secretTexts ? withoutPictures(lhr) : lhr, order),
    };
  };
};
