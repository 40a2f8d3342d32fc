/** Headers of every response: browsers don't store, execute, frame or sniff it, and send no `Referer` from it. */
export const commonHeaders = {
  'cache-control': 'no-store', // files and reports replace it
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'", // pages replace it
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};

/**
 * Headers of a page that a browser shows: it revalidates the page, and a page of another site that opens it gets no
 * reference to its window. The page itself may open a report, whose window it sends the report to.
 */
export const pageHeaders = (policy: string) => ({
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
});

/**
 * Content security policy of the HTML report. The report contains text from the audited page, so the policy gives its
 * script an opaque origin and loads nothing. The reader can still open links, print and download.
 */
export const viewerPolicy = [
  'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'", // the web page shows it in a sandboxed frame
].join('; ');
