import { randomUUID } from 'node:crypto';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { AuditOrder } from '../../functions/auditor/messages.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Secrets } from '../../shared/options/secrets.ts';
import type { World } from './world.ts';

/** Values that a search finds wherever they leak. */
export const secretValues = {
  header: 'hdr-7f3a9c-Kq',
  username: 'usr-51be02-Vw',
  password: 'pwd/4c77d1+Zx',
  cookie: 'ck-a90b3e-Lm',
  stateCookie: 'stc-88e1f0-Rt',
  local: 'loc-2d6b75-Hy',
  session: 'ses-e3c914-Bn',
  typed: 'typ-90ac3e-Pd',
};
export const allValues = Object.values(secretValues);

/** An interaction that types the secret text. */
export const typing = {
  name: 'login',
  steps: [{ type: '#password', text: { secret: 'password' } }],
};

/** Returns all secrets for the host of an origin. */
export const secretsFor = (origin: string): Secrets => {
  const { header, username, password, cookie, stateCookie, local, session, typed } = secretValues;
  const domain = new URL(origin).hostname;
  return {
    headers: { 'X-Preview-Token': header },
    basicAuth: { username, password },
    cookies: [{ name: 'session', value: cookie, domain }],
    storageState: {
      cookies: [{ name: 'state', value: stateCookie, domain }],
      origins: [
        {
          origin,
          localStorage: [{ name: 'token', value: local }],
          sessionStorage: [{ name: 'tab', value: session }],
        },
      ],
    },
    secretTexts: { password: typed },
  };
};

export const owner = 'acme';
export const request = (params: Record<string, string> = {}, more = {}) => ({
  owner,
  requestId: randomUUID(),
  method: 'GET',
  path: '/',
  params,
  query: {},
  headers: {},
  body: undefined,
  ...more,
});

type Parts = { key?: string; sent?: object; regions?: string[]; parts?: object };
const succeeded: AuditResult = { ...emptyResult, state: 'succeeded', metrics: { ...noMetrics, performance: 98 } };

/** Returns the functions that create and audit checks with secrets. */
export const secretChecks = (world: World, now: Date) => {
  const create = async ({
    key,
    sent = secretsFor('https://example.com'),
    regions = ['us-west1'],
    parts = {},
  }: Parts = {}) => {
    const targets = { targets: 'public' as const, ports: [443] };
    const handle = createCheck({ ...world, ...parts, targets, retentionDays: 90, trendDays: 400, now: () => now });
    const interactions = 'secretTexts' in sent ? { interactions: [typing] } : {};
    const body = { url: 'https://example.com/', auditVersion: 'latest', regions, ...interactions, ...sent };
    const reply = await handle(request({}, { method: 'POST', body, headers: key ? { 'idempotency-key': key } : {} }));
    return { status: reply.status, body: reply.body as { id: string } & Record<string, unknown> };
  };

  /** Handles the job of a run. Returns the orders that the auditor got. */
  const audit = async (checkId: string, i = 0, parts = {}, remainingMs = 600_000) => {
    const orders: AuditOrder[] = [];
    const auditors = {
      audit: async (order: AuditOrder) => {
        orders.push(order);
        return succeeded;
      },
    };
    const work = runAudit({ ...world, ...parts, auditors, now: () => now, retryDelaysMs: [0] });
    await work(jobOf(await world.runOf(checkId, i)), () => remainingMs);
    return orders;
  };

  const s3 = new S3Client(clientSettings());
  /** Returns the keys of the objects with secrets of a check, or of all checks. */
  const stored = async (checkId = '') => {
    const list = new ListObjectsV2Command({ Bucket: world.env.REPORT_BUCKET, Prefix: `secrets/${checkId}` });
    return ((await s3.send(list)).Contents ?? []).map(({ Key }) => Key as string);
  };
  return { create, audit, stored, s3 };
};
