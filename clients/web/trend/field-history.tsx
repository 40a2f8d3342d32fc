import { fieldMetricNames, fieldMetrics } from '../../../shared/field-data.ts';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import { fieldCell } from '../../words/field-data.ts';
import { SectionRows } from '../ui/section.tsx';

/** How visitors saw the page week by week, the newest first. */
export const VisitorHistory = ({ history }: { history: FieldHistory }) => {
  const { of, url, formFactor, weeks } = history;
  const names = fieldMetricNames.filter((name) => weeks.some((week) => week[name] !== null));
  const columns = ['Until', ...names.map((name) => fieldMetrics[name].name)];
  const rows = weeks.toReversed().map((week) => ({
    name: week.last,
    cells: names.map((name) => (week[name] === null ? '–' : fieldCell(name, week[name]))),
  }));
  return (
    <details>
      <summary id="visitors">Visitors on {formFactor === 'phone' ? 'phones' : 'desktops'}, week by week</summary>
      <p class="muted">
        Three of four visits of {of === 'url' ? 'the page' : `all pages of ${url}`} had these values or better ones, in
        the four weeks until each day (Chrome UX Report).
      </p>
      <SectionRows labelled="visitors" section={{ id: 'visitors', title: 'Visitors', columns, rows }} />
    </details>
  );
};
