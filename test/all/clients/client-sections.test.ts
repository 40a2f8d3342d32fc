import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { render } from '../../../clients/cli/formats/render.ts';
import { sectionsOfCheck } from '../../../clients/cli/formats/section.ts';
import type { CheckResult } from '../../../clients/cli/run/result.ts';
import { hasContent } from '../../../clients/words/section.ts';
import { variantSection } from '../../../clients/words/variants.ts';
import type { CheckView } from '../../../shared/check.ts';
import type { RunView } from '../../../shared/run.ts';
import { type Site, startSite } from '../../support/web-site.ts';
import { cases } from '../../unit/formats/cases.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

/** Returns the ids of the headings of the tables that the views of a check and its first run show. */
const idsOnPage = async (page: Page, check: CheckView): Promise<string[]> => {
  const answers = new Map([check, ...check.runs].map((each) => [each.links.self, JSON.stringify(each)]));
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const body = answers.get(new URL(request.url()).pathname);
    return void (body ? request.respond({ contentType: 'application/json', body }) : request.continue());
  });
  const ids: string[] = [];
  for (const path of [`/checks/${check.id}`, `/checks/${check.id}/runs/${check.runs[0]?.id}`]) {
    await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle0' });
    ids.push(
      ...(await page.$$eval('table[aria-labelledby]', (all) =>
        all.map((each) => each.ariaLabelledByElements?.[0]?.id ?? ''),
      )),
    );
  }
  return ids;
};

/** Returns the result of two variants that has every section. */
const richResult = (): CheckResult => {
  const [[variants], [others]] = [cases.variants?.() ?? [], cases.sections?.() ?? []];
  if (!variants || !others) throw new Error('An example is missing.');
  const { simulations, interactions } = others.check.runs[0] as RunView;
  const runs = variants.check.runs.slice(0, 1).map((run) => ({ ...run, simulations, interactions }));
  return { ...variants, check: { ...variants.check, fieldData: others.check.fieldData, runs } };
};

test('each section of a result is in the terminal, in Markdown and on the page', async () => {
  const result = richResult();
  const { check } = result;
  const sections = [...sectionsOfCheck(check), ...check.runs.map((run) => variantSection(run))];
  expect(sections.filter((section) => !hasContent(section))).toEqual([]);
  for (const format of ['text', 'markdown'] as const) {
    const text = await render([result], format, { width: 500, color: false });
    for (const { title, about = title } of sections) expect(text).toContain(about);
  }
  await using view = await site.open('/health');
  expect(await idsOnPage(view.page, check)).toEqual(expect.arrayContaining(sections.map(({ id }) => id)));
});
