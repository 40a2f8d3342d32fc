// @ts-check
import { html } from '../html.js';

const texts = /** @type {Record<string, string>} */ ({
  failed: 'The run failed, so it is in no comparison.',
  'missing-region': 'Only one of the checks has this region.',
  contended: 'Other processes used the CPU. The performance score and the times have no verdict.',
  'different-machine': 'The machines differ in speed. The performance score and the times have no verdict.',
  'different-version': 'The Lighthouse versions differ. No metric has a verdict.',
  'different-device': 'The devices differ. No metric has a verdict.',
  'different-throttling': 'The throttling differs. The performance score and the times have no verdict.',
  'fewer-samples': 'A verdict needs at least 3 samples.',
});

/**
 * Why verdicts are unknown.
 * @param {{ reasons: { code: string, region: string }[] }} props
 */
export const Reasons = ({ reasons }) => {
  if (reasons.length === 0) return null;
  const regionsOf = (/** @type {string} */ code) =>
    reasons.filter((each) => each.code === code).map(({ region }) => region);
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return html`<ul class="warnings" aria-label="Why verdicts are unknown">
    ${codes.map((code) => html`<li key=${code}><span aria-hidden="true">ⓘ </span><strong>${regionsOf(code).join(', ')}: </strong>${texts[code] ?? code}</li>`)}
  </ul>`;
};
