import { join } from 'node:path';
import { build } from '../../infra/bundle/main.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { type ApiFunction, apiFunctions } from '../../shared/service/routes.ts';
import { newFolder, nextMessage, removeFolder, root, startNode } from './children.ts';
import { measureFirstAudits } from './first-audit.ts';
import { since, startService, succeededCheck } from './service.ts';

/**
 * Seconds from the start of the process. `codeRead` has the seconds in which a new instance of a deployed API function
 * imports its code, for every function and round. `firstAudit` has those of new instances of the audit function.
 */
export type StartFigures = {
  cold: number[];
  warm: number[];
  coldCheck: number[];
  codeRead: number[];
  /** Missing in older results. */
  firstAudit?: number[];
};

type Options = { pageUrl: string; version: AuditVersion; rounds: number; log: (line: string) => void };

const MAX_ROUNDS = 5;
const MAX_CHECKS = 3;

/** Measures starts on an empty and on a used data folder in turn, and complete checks on an empty one. */
export const measureStart = async ({ pageUrl, version, rounds, log }: Options): Promise<StartFigures> => {
  const figures: StartFigures = { cold: [], warm: [], coldCheck: [], codeRead: [] };
  const used = newFolder();
  const regions = ['us-west1', 'europe-north1'];
  for (let i = 0; i < Math.min(rounds, MAX_CHECKS); i++) {
    const dataDir = i === 0 ? used : newFolder();
    await using service = await startService(dataDir);
    await succeededCheck(service, { url: pageUrl, auditVersion: version, regions });
    figures.coldCheck.push(since(service.startedAt));
    log(`start: two regions audited ${figures.coldCheck.at(-1)?.toFixed(2)} s after a cold start`);
    await service[Symbol.asyncDispose]();
    if (dataDir !== used) await removeFolder(dataDir);
  }
  for (let i = 0; i < Math.min(rounds, MAX_ROUNDS); i++) {
    const fresh = newFolder();
    figures.cold.push(await readySeconds(fresh));
    await removeFolder(fresh);
    figures.warm.push(await readySeconds(used));
    log(`start: cold ${figures.cold.at(-1)?.toFixed(2)} s, warm ${figures.warm.at(-1)?.toFixed(2)} s`);
  }
  await removeFolder(used);
  log('start: building the functions');
  await build();
  for (let i = 0; i < Math.min(rounds, MAX_ROUNDS); i++) {
    for (const name of apiFunctions) figures.codeRead.push(await codeReadSeconds(name));
  }
  figures.firstAudit = await measureFirstAudits({ pageUrl, version, rounds: Math.min(rounds, MAX_CHECKS), log });
  log(
    `start: a new instance of an API function imports its code in at most ${Math.max(...figures.codeRead).toFixed(2)} s`,
  );
  return figures;
};

const readySeconds = async (dataDir: string): Promise<number> => {
  await using service = await startService(dataDir);
  return service.readySeconds;
};

const codeReadSeconds = async (name: ApiFunction): Promise<number> => {
  const file = join(root, 'dist', 'functions', name, 'index.mjs');
  const script = `
    const startedAt = performance.now();
    await import(${JSON.stringify(file)});
    process.send((performance.now() - startedAt) / 1000);
    process.disconnect();
  `;
  const folder = newFolder();
  const args = ['--enable-source-maps', '--input-type=module', '-e', script];
  await using instance = await startNode(args, { folder, ipc: true });
  const seconds = await nextMessage<number>(instance);
  await instance[Symbol.asyncDispose]();
  await removeFolder(folder);
  return seconds;
};
