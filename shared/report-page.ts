/**
 * The script with the data of Lighthouse's HTML report. It has no data in a page that loads its report from storage. The
 * texts of a report have no `<`, so they can't contain this script.
 */
const EMPTY = '<script>window.__LIGHTHOUSE_JSON__ = null;</script>';

/** Returns true if an HTML report loads its data from storage. */
export const loadsItsReport = (page: string): boolean => page.includes(EMPTY);

/** Returns an HTML report that loads its data with the data inside, as it is for a small report. */
export const withItsReport = (page: string, report: unknown): string =>
  page.replace(EMPTY, () => {
    const json = JSON.stringify(report).replaceAll('<', '\\u003c');
    return `<script>window.__LIGHTHOUSE_JSON__ = ${json};</script>`;
  });
