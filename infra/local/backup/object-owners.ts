import { checkKey } from '../../../functions/lib/store/items.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { lifeIn, REPORTS, reportsOf } from '../../../shared/service/report-folders.ts';
import { secretFolders } from '../../../shared/service/secret-folders.ts';

type Fields = Readonly<Record<string, unknown>>;
type StoredObject = { key: string; modified: number };
type Named = { pk: string; sk: string; key: string; isSecret: boolean };

const DAY_MS = 24 * 3600 * 1000;
/** Time in which the service may still have to delete the objects of an item that is gone, or the reverse. */
const DELETION_MS = 2 * DAY_MS;

/** Collects the objects that items name, and the items that own objects. */
export class ObjectOwners {
  readonly #checks = new Set<string>();
  readonly #erased = new Set<string>();
  readonly #unfinished = new Set<string>();
  readonly #schedules = new Set<string>();
  readonly #named: Named[] = [];
  readonly #now: number;

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  add(pk: string, sk: string, item: Fields): void {
    if (pk.startsWith(partitions.check)) this.#checks.add(pk);
    if (pk.startsWith(partitions.upload)) this.#checks.add(checkKey(sk.split('#')[1] ?? '').pk); // of a build that is not sealed
    if (pk.startsWith(partitions.schedule)) this.#schedules.add(String(item.id));
    if (item.erasedAt) this.#erased.add(pk);
    if (item.state === 'created' || item.state === 'running') this.#unfinished.add(pk);
    if (typeof item.expiresAt === 'number' && item.expiresAt * 1000 < this.#now) return;
    for (const { key } of reportsIn(item)) this.#named.push({ pk, sk, key, isSecret: false });
    const { secretsKey: key } = item;
    if (typeof key === 'string' && !sk.startsWith('RUN#')) this.#named.push({ pk, sk, key, isSecret: true });
  }

  /** Returns the objects that items name and that don't exist, and the objects that belong to no item. */
  faultsOf(objects: readonly StoredObject[]): string[] {
    const keys = new Set(objects.map(({ key }) => key));
    const isNeeded = ({ pk, isSecret }: Named) =>
      !this.#erased.has(pk) && (!isSecret || !this.#checks.has(pk) || this.#unfinished.has(pk));
    const missing = this.#named.filter((each) => !keys.has(each.key) && isNeeded(each));
    return [
      ...missing.map(({ pk, sk, key }) => `item ${pk} ${sk}: its object ${key} is missing`),
      ...objects.filter((each) => !this.#isOwned(each)).map(({ key }) => `object ${key}: no item has it`),
    ];
  }

  /** Returns true if an object belongs to an item, or if the service is still to delete it. */
  #isOwned({ key, modified }: StoredObject): boolean {
    const { secrets, scheduleSecrets, fingerprintKey } = secretFolders;
    const age = this.#now - modified;
    const ownerIn = (prefix: string) => key.slice(prefix.length).split('/')[0] ?? '';
    const hasCheck = (prefix: string) => this.#checks.has(checkKey(ownerIn(prefix)).pk);
    if (key.startsWith(fingerprintKey.prefix)) return true;
    if (key.startsWith(secrets.prefix)) return age < DAY_MS || hasCheck(secrets.prefix);
    if (key.startsWith(scheduleSecrets.prefix))
      return age < DAY_MS || this.#schedules.has(ownerIn(scheduleSecrets.prefix));
    if (!key.startsWith(REPORTS)) return false;
    const days = lifeIn(key);
    return age > days * DAY_MS - DELETION_MS || hasCheck(reportsOf(days));
  }
}

const reportsIn = ({ report, against }: Fields): { key: string }[] =>
  [report, (against as Fields | null | undefined)?.report].filter((each) => Boolean(each)) as { key: string }[];
