// @ts-check
import { html } from '../html.js';
import { reasonTexts as texts } from '../words.js';

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
    ${codes.map((code) => html`<li key=${code}><span aria-hidden="true">⚠ </span><strong>${regionsOf(code).join(', ')}: </strong>${texts[code] ?? code}</li>`)}
  </ul>`;
};
