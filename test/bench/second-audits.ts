import { startSampleLab } from '../support/sample-lab.ts';

/* Child process of the bench that audits a page until it is killed. */
const [url = ''] = process.argv.slice(2);
const lab = await startSampleLab();
process.on('disconnect', () => process.exit(0));
let audits = lab.check(url, 1);
process.send?.('started');
for (;;) {
  await audits;
  audits = lab.check(url, 1);
}
