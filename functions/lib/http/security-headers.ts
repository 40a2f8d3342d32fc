/** On every answer: nothing of it is run, framed or sniffed, and nobody is told where a reader came from. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'", // a page of ours brings its own
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};
