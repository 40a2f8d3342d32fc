import { expect, test } from 'vitest';
import { importLighthouse, runLighthouse } from '../../functions/auditor/lighthouse/run.ts';
import { anOrder } from '../support/order.ts';

const rules = ['color-contrast', 'image-alt', 'label', 'link-name'];

test('up to three failed accessibility rules do not count, and a fourth is an error', async () => {
  const lighthouse = await importLighthouse('10.4.0');
  const classes = await Promise.all(
    rules.map(async (rule) => (await import(`lighthouse-10/core/audits/accessibility/${rule}.js`)).default),
  );
  const failing = rules.map((id) => ({ id, error: new Error(`${id} threw`), nodes: [] }));
  const artifacts = { Accessibility: { violations: [], passes: [], notApplicable: [], incomplete: failing } };
  let products: unknown[] = [];
  const audits = async () => {
    products = classes.map((rule) => rule.audit(artifacts));
    throw new Error('stop here');
  };
  const run = runLighthouse({ ...lighthouse, run: audits }, anOrder({ auditVersion: '10.4.0' }), {
    page: {} as never,
    profile: '',
    benchmark: { index: 2000, measuredAt: '2026-01-01T00:00:00.000Z' },
    onLoaded: async () => {},
    documentFor: (requestId) => requestId,
    onNavigate: () => {},
    traffic: { pending: 0, answeredAt: 0, longTasks: 0 },
    onMeasured: async () => undefined,
  });
  await expect(run).rejects.toThrow('stop here');
  const uncounted = { score: null, notApplicable: true };
  expect(products).toMatchObject([
    uncounted,
    uncounted,
    uncounted,
    { errorMessage: expect.stringContaining('link-name threw') },
  ]);
});
