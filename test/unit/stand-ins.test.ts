import { expect, test } from 'vitest';
import { importLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import { auditVersions } from '../../shared/audit-versions.ts';

test.each(auditVersions)('an auditor of $version loads only English', async ({ version, package: name }) => {
  const folder = new URL(`../../node_modules/${name}/shared/localization/`, import.meta.url);
  const { default: english } = await import(`${folder}locales/en-US.json`, { with: { type: 'json' } });
  await importLighthouse(version);
  const module = await import(`${folder}locales.js`);
  expect(module.locales ?? module.default).toEqual({ 'en-US': english, en: english });
});
