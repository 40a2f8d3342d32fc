import { gunzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { auditors } from '../../functions/auditor/auditors.ts';
import { auditVersions, majorOf } from '../../shared/audit-versions.ts';
import { chromiumDir } from '../support/chromium-dir.ts';
import { servePages } from '../support/pages.ts';
const a = auditors({ targets: { targets: 'local', ports: [] }, chromiumDir: chromiumDir() });
const pages = await servePages();
const [names = 'perfect,faulty,busy', majors = '13,12,11,10,9', n = '1'] = process.argv.slice(2);
for (const page of names.split(','))
  for (const { version } of auditVersions) {
    if (!majors.split(',').includes(majorOf(version))) continue;
    for (let i = 0; i < +n; i++) {
    const t = Date.now();
    const v = await a.audit({ url: pages.url(`/${page}`), auditVersion: version }, new AbortController().signal);
    console.log(`## ${page} ${version} ${((Date.now() - t) / 1000).toFixed(1)}s ${v.state} ${JSON.stringify(v.state === 'succeeded' ? v.metrics : v.error)} bench=${v.environment?.benchmarkIndex} ${v.warnings}`);
    if (!v.report) continue;
    const r = JSON.parse(gunzipSync(v.report.gzip).toString());
    writeFileSync(`/tmp/kp/${page}-${majorOf(version)}.json`, JSON.stringify(r));
    if (+n > 1) continue;
    for (const [id, c] of Object.entries<any>(r.categories)) {
      const failing = c.auditRefs.filter((x: any) => { const s = r.audits[x.id]; return s.score !== null && s.score < 1; }).map((x: any) => `${x.id}(${x.weight},${r.audits[x.id].scoreDisplayMode})`);
      console.log(`   ${id} ${c.score}: ${failing.join(' ')}`);
    }
    const err = Object.values<any>(r.audits).filter((x) => x.scoreDisplayMode === 'error').map((x) => `${x.id}: ${x.errorMessage}`);
    console.log('   errors', err, Object.keys(r).join());
    }
  }
console.log(pages.hits);
await a.close(); await pages.close();
