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
type Named = Pick<TraceEvent, 'name' | 'args'>;

/**
 * Returns the CPU time of the page's main thread by what used it: scripts, and the browser's own work. Work that a script
 * causes in the browser, such as a layout, is the browser's.
 */
export const workOf = (events: readonly TraceEvent[], by: NamedBy): WorkShare[] => {
  const shares = new Map<string, WorkShare>();
  const shareOf = ({ name, isScript }: Unit): WorkShare => {
    const key = `${isScript} ${name}`;
    const share = shares.get(key) ?? { name, isScript, ms: 0 };
    shares.set(key, share);
    return share;
  };
  const known = new Map<string, WorkShare | undefined>(); // a trace has many events of few kinds and addresses
  const shareOfEvent = (event: Named): WorkShare | undefined => {
    const kind = `${event.name} ${event.args.data?.url ?? ''}`;
    if (known.has(kind)) return known.get(kind);
    const unit = unitOf(event, by);
    const share = unit && shareOf(unit);
    known.set(kind, share);
    return share;
  };
  const rest = shareOf({ name: 'rest', isScript: false });
  for (const { task, events: inside } of mainTasksOf(events)) {
    const open = [{ endUs: Number.POSITIVE_INFINITY, share: rest }];
    rest.ms += (task.tdur ?? 0) / 1000;
    for (const event of inside) {
      if (event.tdur === undefined) continue;
      while (event.ts >= (open.at(-1)?.endUs ?? 0)) open.pop();
      const parent = open.at(-1)?.share ?? rest;
      const share = shareOfEvent(event) ?? parent;
      parent.ms -= event.tdur / 1000;
      share.ms += event.tdur / 1000;
      open.push({ endUs: event.ts + (event.dur ?? 0), share });
    }
  }
  const all = [...shares.values()].map((share) => ({ ...share, ms: Math.round(share.ms * 10) / 10 }));
  const scripts = all.filter(({ isScript }) => isScript).sort((a, b) => b.ms - a.ms);
  return [...scripts.slice(0, MAX_SCRIPTS), ...all.filter(({ isScript }) => !isScript)].filter(({ ms }) => ms > 0);
};

const unitOf = ({ name, args }: Named, by: NamedBy): Unit | undefined => {
  const ofBrowser = browserWork[name];
  if (ofBrowser) return { name: ofBrowser, isScript: false };
  if (name === 'v8.evaluateModule') return { name: 'modules', isScript: true };
  const url = args.data?.url;
  if ((name !== 'EvaluateScript' && name !== 'FunctionCall') || !url || url.startsWith('_')) return undefined;
  return { name: url === by.documentUrl ? 'inline scripts' : nameOfScript(url, by), isScript: true };
};
