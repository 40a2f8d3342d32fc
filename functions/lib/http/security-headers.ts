/** Headers of every response: browsers don't execute, frame or sniff it, and send no `Referer` from it. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'", // pages replace it
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};
