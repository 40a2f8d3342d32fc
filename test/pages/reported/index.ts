import type { ReportedPage } from '../../support/reported-page.ts';
import { answers } from './answers.ts';
import { documents } from './documents.ts';
import { leaving } from './leaving.ts';

/** Pages after public bug reports about Lighthouse and its services, with the right outcome of each. */
export const reportedPages: Record<string, ReportedPage> = { ...answers, ...leaving, ...documents };

/** Pages that `npm run test:all` audits, in one version. */
export const shortSet: readonly string[] = [
  ...['leaves-after-1500', 'leaves-by-form', 'reloads-once-later', 'refresh-meta-1s'],
  ...['leaves-for-prefetched', 'reloads-on-resize'],
  ...['path-emoji', 'path-1100', 'download-404', 'disposition-own', 'bot-check', 'app-behind-404'],
  'parts-on-other-ports',
];
