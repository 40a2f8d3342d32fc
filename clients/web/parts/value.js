// @ts-check
import { html } from '../html.js';
import { gradeSigns, gradeWords, shownValue } from '../numbers.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

/**
 * A value with its grade, unit and spread. `max` gives it a bar: the largest value of its row.
 * @param {{ name: MetricName, run: any, max?: number }} props
 */
export const Value = ({ name, run, max }) => {
  const shown = shownValue(run, name);
  if (!shown) return html`<${NotMeasured} />`;
  const { value, grade, sign, text, spread } = shown;
  return html`<span class="value ${grade}">
    <span class="sign" aria-hidden="true">${sign}</span>
    <span class="number">${text}</span>
    <span class="spread">${spread}</span>
    <span class="hidden">${gradeWords[grade]}</span>
    ${max !== undefined && max > 0 && html`<span class="bar"><i style=${{ width: `${(100 * value) / max}%` }}></i></span>`}
  </span>`;
};

export const NotMeasured = () => html`<span class="unknown">–<span class="hidden"> not measured</span></span>`;

/** The meaning of the signs. */
export const Legend = () => html`<p class="legend">
  ${['pass', 'work', 'poor', 'unknown'].map((each) => {
    const grade = /** @type {keyof typeof gradeSigns} */ (each);
    return html`<span class=${grade}><span class="sign" aria-hidden="true">${gradeSigns[grade]}</span> ${gradeWords[grade]}</span>`;
  })}
</p>`;
