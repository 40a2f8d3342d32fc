import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lighthouseModules } from '../../functions/auditor/lighthouse/modules.ts';
import { shortenScreenshotWait } from '../../functions/auditor/lighthouse/screenshot-wait.ts';
import { auditVersions } from '../../shared/audit-versions.ts';

/** Lighthouse's longest wait for a resized page, in milliseconds. */
const LONGEST_MS = 5000;

const { setTimeout: start } = globalThis;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  globalThis.setTimeout = start;
});

/** A page as a gatherer sees it: every command succeeds, and the network stays quiet. */
const fakePage = () => {
  const size = { width: 412, height: 2000, clientWidth: 412, clientHeight: 823 };
  const metrics = Object.fromEntries(
    ['contentSize', 'cssContentSize', 'layoutViewport', 'cssLayoutViewport', 'cssVisualViewport'].map((name) => [
      name,
      size,
    ]),
  );
  const answer = {
    ...metrics,
    product: 'Chrome/153.0.0.0',
    userAgent: 'Chrome/153.0.0.0',
    data: 'picture',
    frameTree: { frame: { id: '1' } },
  };
  const own = Object.assign(new EventEmitter(), { rootSession: (): EventEmitter => session });
  const session = new Proxy(own, { get: (_, name) => Reflect.get(own, name) ?? (async () => answer) });
  const networkMonitor = Object.assign(new EventEmitter(), {
    isCriticalIdle: () => true,
    getInflightRequests: () => [],
  });
  const executionContext = { evaluate: async () => ({}) };
  const driver = { defaultSession: session, targetManager: session, networkMonitor, executionContext };
  const screenEmulation = { disabled: false, width: 412, height: 823, deviceScaleFactor: 1, mobile: true };
  return {
    driver,
    computedCache: new Map<string, unknown>(),
    settings: { screenEmulation, formFactor: 'mobile', emulatedUserAgent: 'Chrome/153.0.0.0' },
    gatherMode: 'navigation',
  };
};

describe.each(auditVersions)('in version $version', ({ version }) => {
  const take = async (untilQuiet: () => Promise<boolean>) => {
    const { importCore } = lighthouseModules(version);
    const { default: Gatherer } = await importCore('gather/gatherers/full-page-screenshot.js');
    const { getArtifact } = Gatherer.prototype;
    const [end, compute] = [vi.fn(), vi.fn()];
    shortenScreenshotWait(Gatherer, () => ({ untilQuiet, end }), compute);
    const taken = new (Gatherer as unknown as new () => typeof Gatherer.prototype)().getArtifact(fakePage());
    Gatherer.prototype.getArtifact = getArtifact;
    const isTaken = vi.fn();
    taken.then(isTaken, isTaken);
    return { taken, isTaken, end, compute };
  };

  test('a full-page screenshot waits no longer when the page is quiet', async () => {
    const { taken, end } = await take(async () => true);
    expect(await taken).toMatchObject({ screenshot: { data: expect.stringContaining('picture') } });
    expect(end).toHaveBeenCalledOnce();
  });

  test.each([
    ['has its own wait if the page does not come to rest', async () => false],
    ['has its own wait if the page answers no more', () => Promise.reject(new Error('The target closed.'))],
    ['has its own wait if the page hangs', () => new Promise<boolean>(() => {})],
  ])('a full-page screenshot %s', async (_, untilQuiet) => {
    const { taken, isTaken, end, compute } = await take(untilQuiet);
    await vi.advanceTimersByTimeAsync(900);
    expect(compute).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ computedCache: expect.any(Map) }));
    expect(isTaken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 900);
    expect(await taken).toMatchObject({ screenshot: { data: expect.stringContaining('picture') } });
    expect(end).toHaveBeenCalledOnce();
  });
});
