import { isFinished } from '../../../shared/states.ts';
import type { CheckStore } from '../store/checks.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { ListStore, Range } from '../store/lists.ts';

const PAGE_SIZE = 100;
/** Most pages of a page's series that a search reads. */
const MAX_PAGES = 50;

type Deps = { store: Pick<CheckStore, 'find'>; lists: Pick<ListStore, 'runs'> };
type Search = { owner: string; of: StoredCheck['item']; label: readonly [name: string, value: string]; now: Date };

/**
 * Yields the other finished checks of a check's page that have a label, newest first. They have the same URL and device, and
 * a run that succeeded in a region of the check.
 */
export async function* labelledChecks({ store, lists }: Deps, search: Search): AsyncGenerator<StoredCheck> {
  const { owner, of, label, now } = search;
  const [name, value] = label;
  const seen = new Set([of.id]);
  let range: Range = {};
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { entries, last, more } = await lists.runs(owner, of.url, range, PAGE_SIZE, now);
    for (const entry of entries) {
      if ('unreadable' in entry || entry.state !== 'succeeded' || entry.device !== (of.device ?? 'mobile')) continue;
      if (!of.regions.includes(entry.region)) continue; // an upload and an audit of the service have no region in common
      const labels = entry.labels ?? {};
      if (!Object.hasOwn(labels, name) || labels[name] !== value || seen.has(entry.checkId)) continue;
      seen.add(entry.checkId);
      const found = await store.find(entry.checkId, owner, now); // the entry of a run outlives its check
      if (found?.runs.every(({ state }) => isFinished(state))) yield found;
    }
    if (!more) return;
    range = { before: last };
  }
}
