import { type AuditEnd, type AuditSummary, emptyMainFrame, type MainFrame } from '../../functions/auditor/messages.ts';
import type { Observation } from '../../functions/auditor/verdict/observation.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { presets } from '../../shared/options/throttling.ts';
import { anOrder } from './order.ts';

export const url = 'https://example.com/page';
const loaded: Partial<MainFrame> = {
  url,
  status: 200,
  mimeType: 'text/html',
  finished: true,
  everFinished: true,
  loaded: true,
  painted: true,
};
export const metrics = {
  performance: 98,
  accessibility: 100,
  bestPractices: 96,
  pwa: null,
  seo: 91,
  agenticBrowsing: null,
  fcp: 633.2,
  si: 633.2,
  lcp: 633.2,
  tti: 633.2,
  tbt: 0,
  cls: 0,
  ttfb: 12.5,
  bytes: 1533,
  requests: 2,
  mainThreadCpu: null,
};
const summary = (changes: Partial<AuditSummary> = {}): AuditSummary => ({
  metrics,
  runtimeError: null,
  finalUrl: url,
  warnings: [],
  benchmarkIndex: 2000,
  benchmarkedAt: '2026-11-25T16:45:12.250Z',
  throttling: 'simulate',
  throttlingValues: presets.mobile,
  erroredAudits: [],
  screenshotMissing: false,
  withoutCharset: false,
  uncheckedRules: [],
  withoutMeaningfulPaint: false,
  report: Buffer.from('gzip'),
  reportBytes: 10,
  ...changes,
});
export const audited = (changes: Partial<AuditSummary> = {}): AuditEnd => ({
  how: 'audited',
  summary: summary(changes),
  pageAnswers: null,
  document: 'shown',
  status: 200,
});
export const runtimeError = (code: string, message = '') => audited({ runtimeError: { code, message } });
export const stopped: AuditEnd = { how: 'stopped', why: 'main-document-failed' };

type Decision = ReturnType<Observation['decisionOn']>;
export const observed = (
  end: AuditEnd,
  frame: Partial<MainFrame> = {},
  decision?: Decision,
  version: AuditVersion = '13.5.0',
): Observation => ({
  order: anOrder({ auditVersion: version }),
  sandbox: true,
  fonts: '5c1b9a7e',
  machine: { cpuCount: 2, memoryMiB: 4096, kernel: '6.1.0', host: '0123456789ab' },
  cpu: { others: 0, stolen: 0 },
  starvedShare: 0,
  stoodStillMs: 0,
  proxyHeldMs: 0,
  blocked: { blockedRequests: [], blockedRequestCount: 0 },
  overCap: [],
  shortage: undefined,
  frozen: null,
  end,
  mainFrame: { ...emptyMainFrame, ...loaded, ...frame },
  chromium: 'HeadlessChrome/1',
  decisionOn: (host, port) => (host === 'example.com' && port === 443 ? decision : undefined),
});
