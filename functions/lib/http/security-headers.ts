/** Headers of every response: browsers don't execute, frame or sniff it, and send no `Referer` from it. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'", // pages replace it
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};

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
