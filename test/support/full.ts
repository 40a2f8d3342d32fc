/** True in `npm run test:full`: long tests run at full size, and every audit version audits every page. */
export const FULL = process.env.FULL === '1';
