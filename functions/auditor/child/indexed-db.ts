import type { IndexedDatabase } from '../../../shared/options/secrets.ts';

/** Returns a script that fills databases of the origin of its page. Its result has the names of those that it could not fill. */
export const databaseScript = (databases: readonly IndexedDatabase[]): string =>
  `(${fillDatabases})(${JSON.stringify(databases)})`;

/** Runs in a page, so it refers to nothing outside itself. */
async function fillDatabases(databases: IndexedDatabase[]): Promise<string[]> {
  type Encoded = Record<string, unknown> & {
    a: unknown[];
    o: { k: string; v: unknown }[];
    id: number;
    ta: { b: string; k: string };
  };
  const numbers: Record<string, unknown> = { null: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };
  const arrays: Record<string, new (buffer: ArrayBuffer) => unknown> = {
    ...{ i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array },
    ...{ i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array },
    ...{ bi64: BigInt64Array, bui64: BigUint64Array },
  };
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)).buffer;

  /** Decodes what Playwright encodes because JSON lacks it. `known` has the objects to which a later part may refer. */
  const decoded = (value: unknown, known: Map<unknown, unknown>): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const { v, d, u, bi, r, e, a, o, id, ref, ta, ab } = value as Encoded & { ab: { b: string } };
    if (v !== undefined) return numbers[String(v)];
    if (ref !== undefined) return known.get(ref);
    if (d !== undefined) return new Date(String(d));
    if (u !== undefined) return String(u);
    if (bi !== undefined) return BigInt(String(bi));
    if (r !== undefined) return new RegExp((r as { p: string }).p, (r as { f: string }).f);
    if (e !== undefined) return Object.assign(new Error((e as { m: string }).m), { name: (e as { n: string }).n });
    if (ab !== undefined) return bytesOf(ab.b);
    const View = ta && arrays[ta.k];
    if (View) return new View(bytesOf(ta.b));
    if (a !== undefined) {
      const list: unknown[] = [];
      known.set(id, list);
      for (const each of a) list.push(decoded(each, known));
      return list;
    }
    if (o === undefined) throw new TypeError('a value of an unknown kind');
    const object: Record<string, unknown> = {};
    known.set(id, object);
    for (const { k, v: each } of o) object[k] = decoded(each, known);
    return object;
  };

  const fill = ({ name, version, stores }: IndexedDatabase) =>
    new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name, version);
      opening.onupgradeneeded = () => {
        for (const { name: store, autoIncrement, keyPath, keyPathArray, indexes, records } of stores) {
          const made = opening.result.createObjectStore(store, { autoIncrement, keyPath: keyPathArray ?? keyPath });
          for (const { name: index, unique, multiEntry, ...path } of indexes)
            made.createIndex(index, path.keyPathArray ?? path.keyPath ?? '', { unique, multiEntry });
          for (const { key, keyEncoded, value, valueEncoded } of records)
            made.add(value ?? decoded(valueEncoded, new Map()), (key ?? decoded(keyEncoded, new Map())) as IDBValidKey);
        }
      };
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        opening.result.close();
        resolve();
      };
    });

  const results = await Promise.allSettled(databases.map(fill));
  return databases.filter((_, i) => results[i]?.status === 'rejected').map(({ name }) => name);
}
