import type { HostilePage } from '../../support/hostile-server.ts';
import { answers } from './answers.ts';
import { busyPages } from './busy.ts';
import { documents } from './documents.ts';
import { moves } from './moves.ts';
import { sabotage } from './sabotage.ts';

export const hostilePages: Record<string, HostilePage> = {
  ...answers,
  ...moves,
  ...busyPages,
  ...documents,
  ...sabotage,
};

/** Pages that `npm run test:all` audits. test/unit/hostile-pages.test.ts checks that they cover every error code and warning. */
export const shortSet = [
  ...['length-long-open', 'never-answers'], // first, as they take half a minute or more
  ...['good', 'status-404', 'type-pdf', 'empty-200', 'gzip-invalid', 'fetch-60mb', 'reset-mid-body', 'refused-port'],
  ...['dns-unknown', 'tls-self-signed', 'redirect-15', 'redirect-loop', 'redirect-private', 'refresh-once'],
  ...['reload-loop', 'download-navigation', 'alert-forever', 'canvas-only', 'csp-sandbox', 'dom-deep-5000'],
  ...['iframe-recursion', 'private-link', 'memory-buffers', 'break-array', 'break-native-copies'],
];
/** Pages that `npm run test:all` audits in version 9.6.8 too, which is built differently. */
export const shortSetOf9 = ['good', 'status-404', 'font-late', 'colours-of-today'];
