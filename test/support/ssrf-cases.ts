import { readFileSync } from 'node:fs';

/** A case of ssrf-cases.json: a URL that a client submits or a page leads to, and whether the service allows it. */
export type SsrfCase = {
  id: string;
  stage: 'submit' | 'resolve' | 'redirect' | 'subresource';
  url: string;
  expect: 'allow' | 'refuse';
  why: string;
  policy?: 'local';
  resolvesTo?: string[];
  resolvesInTurn?: string[][];
  dials?: string;
  via?: string;
  redirectsTo?: string;
  loads?: string;
};

export const ssrfCases: SsrfCase[] = JSON.parse(readFileSync(new URL('./ssrf-cases.json', import.meta.url), 'utf8'));
