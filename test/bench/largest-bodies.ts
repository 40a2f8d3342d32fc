import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { MAX_SETS } from '../../shared/assertions/sets.ts';
import { MAX_BODY_BYTES } from '../../shared/check.ts';
import { MAX_INTERACTIONS, MAX_SELECTOR_LENGTH, MAX_STEPS } from '../../shared/interactions/interactions.ts';
import { operations } from '../../shared/openapi/document.ts';
import { createBody } from '../../shared/openapi/examples.ts';
import { MAX_PATTERN_LENGTH, MAX_PATTERNS } from '../../shared/options/blocked-urls.ts';
import { MAX_LABELS } from '../../shared/options/labels.ts';
import { MAX_COOKIES, MAX_HEADERS } from '../../shared/options/secrets.ts';
import { MAX_SIMULATIONS } from '../../shared/options/simulations.ts';
import { presets } from '../../shared/options/throttling.ts';
import { allRegions } from '../../shared/regions.ts';
import { keyOf, type RouteKey, type RouteRules, routeOf, routes } from '../../shared/service/routes.ts';
import { MAX_UPLOADED_SAMPLES } from '../../shared/uploads.ts';
import { largestReport } from './largest-report.ts';

/** A body for a route. `coding` is that of the bytes. */
export type LargeBody = { route: RouteKey; of: string; bytes: Buffer; coding?: 'gzip' };

const times = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const record = (count: number, of: (i: number) => string) =>
  Object.fromEntries(times(count, (i) => [`name-${i}`, of(i)]));

/** Body of a check with all lists full. */
const fullCheck = {
  ...createBody,
  auditVersion: 'latest',
  regions: [...allRegions],
  samples: 1,
  labels: record(MAX_LABELS, () => 'v'.repeat(128)),
  blockedUrlPatterns: times(MAX_PATTERNS, (i) => `*${i}`.padEnd(MAX_PATTERN_LENGTH, '*b')),
  headers: record(MAX_HEADERS, () => 'h'.repeat(400)),
  cookies: times(MAX_COOKIES, (i) => ({ name: `c${i}`, value: 'c'.repeat(60), domain: 'example.com' })),
  simulations: times(MAX_SIMULATIONS, (i) => ({ name: `s${i}`, ...presets.mobile, rttMs: 40 + i })),
  assertions: times(MAX_SETS, (i) => ({
    pattern: `^https://(${'a|'.repeat(200)}b)+${i}`,
    assertions: { 'categories:performance': ['error', { minScore: 0.9 }] },
  })),
  interactions: times(MAX_INTERACTIONS, (i) => ({
    name: `i${i}`,
    steps: times(MAX_STEPS, () => ({ click: 'a'.repeat(MAX_SELECTOR_LENGTH) })),
  })),
};

const full: Partial<Record<RouteKey, object>> = {
  'POST /v1/checks': fullCheck,
  'POST /v1/schedules': { name: 'full', every: '6h', check: fullCheck },
  'PATCH /v1/schedules/{scheduleId}': { check: fullCheck },
  'POST /v1/checks/{checkId}/assertions': { assertions: fullCheck.assertions },
};

/** Returns a JSON text with as many bytes as a body may have. Spaces around a value are legal. */
const padded = (body: unknown): Buffer => {
  const json = JSON.stringify(body);
  return Buffer.from(json + ' '.repeat(MAX_BODY_BYTES - Buffer.byteLength(json)));
};

/** Returns a picture in Base64 that a compressor makes a quarter smaller only. */
const random = (length: number): string => randomBytes(Math.floor(0.75 * length)).toString('base64');

/** Returns the uploads of a route: a report alone, one that doesn't compress, compressed, and as many reports as a run has samples. */
const uploadsTo = (route: RouteKey): LargeBody[] => {
  const report = largestReport();
  if (route !== 'POST /v1/reports') {
    const run = JSON.stringify({ url: 'http://localhost:PORT/', lhr: report });
    return [{ route, of: 'largest report with gzip', bytes: gzipSync(run), coding: 'gzip' }];
  }
  const several = times(MAX_UPLOADED_SAMPLES, () => largestReport(MAX_UPLOADED_SAMPLES));
  return [
    { route, of: 'largest report', bytes: Buffer.from(report) },
    { route, of: 'largest report, random picture', bytes: Buffer.from(largestReport(1, random)) },
    { route, of: 'largest report with gzip', bytes: gzipSync(report), coding: 'gzip' },
    { route, of: `${MAX_UPLOADED_SAMPLES} reports`, bytes: Buffer.from(`[${several.join(',')}]`) },
  ];
};

/** Returns the largest bodies of all routes that take one, reports first. The limits are those of the code. */
export const largestBodies = (): LargeBody[] => {
  const keys = routes.filter((route) => 'body' in route).map(keyOf);
  const sorted = [...new Set<RouteKey>(['POST /v1/reports', ...keys])];
  return sorted.flatMap((route): LargeBody[] =>
    (routeOf(route) as RouteRules).body === 'upload'
      ? uploadsTo(route)
      : [{ route, of: 'largest JSON', bytes: padded(full[route] ?? exampleOf(route)) }],
  );
};

const exampleOf = (key: RouteKey): unknown => {
  const { body } = operations[key] as { body?: { example: unknown } };
  if (!body) throw new Error(`The route ${key} has no example of a body.`);
  return body.example;
};
