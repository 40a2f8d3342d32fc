import { gunzipSync } from 'node:zlib';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { slots } from '../../functions/lib/slots.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { metricsView } from '../../shared/metrics/page-metrics-schemas.ts';
import { auditorDir } from './auditor-dir.ts';
import { testChromium } from './chromium-dir.ts';
import { anOrder } from './order.ts';
import { servePages } from './pages.ts';

type Audit = {
  score: number | null;
  scoreDisplayMode: string;
  numericValue: number;
  details?: { items: Record<string, number>[] };
};
export type Report = {
  configSettings: Record<string, unknown>;
  fullPageScreenshot?: unknown;
  lighthouseVersion: string;
  fetchTime: string;
  runWarnings: string[];
  categories: Record<string, { score: number; auditRefs: { id: string }[] }>;
  audits: Record<string, Audit>;
  timing: { entries: { name: string; startTime: number; duration: number }[] };
};

export type Audited = Awaited<ReturnType<Lab['audit']>>;
export type Lab = Awaited<ReturnType<typeof openLab>>;

/** Serves the known pages, and starts auditors for them. */
export const openLab = async () => {
  const pages = await servePages();
  const lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  await lab.prepare();

  /** Audits a known page. Throws if the audit does not succeed. */
  const audit = async (page: string, version: AuditVersion, options: Parameters<typeof anOrder>[0] = {}) => {
    const startedAt = Date.now();
    const order = anOrder({ url: pages.url(page), auditVersion: version, ...options });
    const verdict = await lab.audit(order, new AbortController().signal);
    if (verdict.state !== 'succeeded' || !verdict.report) throw new Error(JSON.stringify(verdict, null, 2));
    const report = JSON.parse(gunzipSync(verdict.report.gzip).toString()) as Report;
    return { verdict, metrics: metricsView(verdict.metrics), report, startedAt };
  };
  const turn = slots(2);

  return {
    pages,
    audit,
    /** Audits a known page when its turn comes. As in the service, one audit is measured while the next starts its browser. */
    auditInTurn: async (page: string, version: AuditVersion, options: Parameters<typeof anOrder>[0] = {}) => {
      const done = await turn(new AbortController().signal);
      return audit(page, version, options).finally(done);
    },
    close: async () => {
      await lab.close();
      await pages.close();
    },
  };
};
