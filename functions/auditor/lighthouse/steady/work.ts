import type { WorkShare } from '../../../../shared/metrics/steady-load.ts';
import type { TraceEvent } from '../trace.ts';
import { type NamedBy, nameOfScript } from './script-name.ts';
import { mainTasksOf } from './split-layouts.ts';

/** Most scripts of a load, those with the most work first. */
const MAX_SCRIPTS = 6;

/** Events of the browser's own work, by its name. */
const browserWork: Readonly<Record<string, string>> = {
  Layout: 'layout',
  UpdateLayoutTree: 'style',
  ParseHTML: 'parsing',
  Paint: 'painting',
  PrePaint: 'painting',
  Layerize: 'painting',
  Commit: 'painting',
};

type Unit = Pick<WorkShare, 'name' | 'isScript'>;
const rest: Unit = { name: 'rest', isScript: false };

/**
 * Returns the CPU time of the page's main thread by what used it: scripts, and the browser's own work. Work that a script
 * causes in the browser, such as a layout, is the browser's.
 */
export const workOf = (events: readonly TraceEvent[], by: NamedBy): WorkShare[] => {
  const shares = new Map<string, WorkShare>();
  const add = (unit: Unit, us: number) => {
    const key = JSON.stringify(unit);
    const share = shares.get(key) ?? { ...unit, ms: 0 };
    shares.set(key, { ...share, ms: share.ms + us / 1000 });
  };
  for (const { task, events: inside } of mainTasksOf(events)) {
    const open = [{ endUs: Number.POSITIVE_INFINITY, unit: rest }];
    add(rest, task.tdur ?? 0);
    for (const { ts, dur = 0, tdur, ...event } of inside) {
      if (tdur === undefined) continue;
      while (ts >= (open.at(-1)?.endUs ?? 0)) open.pop();
      const parent = open.at(-1)?.unit ?? rest;
      const unit = unitOf(event, by) ?? parent;
      add(parent, -tdur);
      add(unit, tdur);
      open.push({ endUs: ts + dur, unit });
    }
  }
  const all = [...shares.values()].map((share) => ({ ...share, ms: Math.round(share.ms * 10) / 10 }));
  const scripts = all.filter(({ isScript }) => isScript).sort((a, b) => b.ms - a.ms);
  return [...scripts.slice(0, MAX_SCRIPTS), ...all.filter(({ isScript }) => !isScript)].filter(({ ms }) => ms > 0);
};

const unitOf = ({ name, args }: Pick<TraceEvent, 'name' | 'args'>, by: NamedBy): Unit | undefined => {
  const ofBrowser = browserWork[name];
  if (ofBrowser) return { name: ofBrowser, isScript: false };
  if (name === 'v8.evaluateModule') return { name: 'modules', isScript: true };
  const url = args.data?.url;
  if ((name !== 'EvaluateScript' && name !== 'FunctionCall') || !url || url.startsWith('_')) return undefined;
  return { name: url === by.documentUrl ? 'inline scripts' : nameOfScript(url, by), isScript: true };
};
