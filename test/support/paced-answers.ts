/** Headers of an answer to a waiting request. */
export const waited = { etag: '"1"', 'retry-after': '2', 'preference-applied': 'wait=25' };
export const unfinished = (headers: HeadersInit = {}) => Response.json({ state: 'running', runs: [] }, { headers });
export const unchanged = (headers: HeadersInit = {}) => new Response(null, { status: 304, headers });

type Row = [name: string, answer: (count: number) => Response, seconds: number];
/** Answers that come at once, and the pause in seconds that a client makes after each of them. */
export const pacedAnswers: readonly Row[] = [
  ['304 at once', (i) => (i === 1 ? unfinished(waited) : unchanged(waited)), 2],
  ['a change at once', (i) => unfinished({ ...waited, etag: `"${i}"` }), 2],
  ['200 at once, without what a proxy drops', () => unfinished(), 2],
  ['a longer Retry-After', () => unfinished({ 'retry-after': '7' }), 7],
  ['Retry-After: 0', () => unfinished({ 'retry-after': '0' }), 2],
  ['a Retry-After that is a date', () => unfinished({ 'retry-after': new Date(Date.now() + 9000).toUTCString() }), 2],
];
