import { readFileSync } from 'node:fs';

/** A case of ssrf-cases.json: what is submitted, found, followed or loaded, and whether it may be. */
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
