/* global webVitals */
// web-vitals keeps only the longest interaction of a page. So each input looks to it like the return of a page from the cache.
const startAnew = ({ isTrusted }) =>
  isTrusted && dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
for (const type of ['pointerdown', 'keydown']) addEventListener(type, startAnew, { capture: true });

globalThis.reportVital = (vital) => navigator.sendBeacon('/vitals', JSON.stringify(vital));
const report = ({ name, value, navigationType, navigationURL, attribution }) => {
  const target = attribution.interactionTarget ?? attribution.target;
  reportVital({ name, value, navigationType, url: navigationURL, target });
};
const options = { reportAllChanges: true, reportSoftNavs: true, durationThreshold: 16 };
webVitals.onINP(report, options);
webVitals.onLCP(report, options);
