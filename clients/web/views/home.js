// @ts-check
import { html } from '../html.js';
import { NewCheck } from '../parts/new-check.js';
import { RecentChecks } from '../parts/recent-checks.js';
import { useTitle } from '../title.js';

export const HomePage = () => {
  useTitle('New check');
  return html`
    <h1>Audit a page</h1>
    <${NewCheck} />
    <${RecentChecks} />
  `;
};
