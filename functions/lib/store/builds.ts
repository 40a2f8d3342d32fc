import { z } from 'zod';
import { partitions } from '../../../shared/service/partitions.ts';
import {
  type Db,
  deleteItem,
  getItem,
  type Item,
  ifAbsent,
  ifExists,
  type Key,
  parse,
  putItem,
  putOnce,
  updateItem,
} from './dynamodb.ts';
import { listKeyOf } from './lists.ts';
import { pack, unpack } from './packed.ts';
import { allIn, pagesIn } from './query.ts';
import { StoredReport } from './stored.ts';

/*
 * A build of Lighthouse CI is one commit of a branch. Its reports wait here until the uploader seals the build, because all
 * reports of a page become the samples of one check.
 */
const time = z.iso.datetime();
export const Build = z.object({
  id: z.uuid(),
  createId: z.uuid(), // of the upload that fills the build
  lifecycle: z.enum(['unsealed', 'sealed']),
  hash: z.string(),
  branch: z.string(),
  /** The other fields of the build, as the uploader sent them. The answers show them. */
  sent: z.record(z.string(), z.string()),
  createdAt: time,
  updatedAt: time,
  expiresAt: z.number(), // in seconds
});
export type Build = z.infer<typeof Build>;

/** A report of a build. `results` are those of its run. */
const Uploaded = z.object({ url: z.string(), report: StoredReport, results: z.unknown() });
export type Uploaded<Results> = Omit<z.infer<typeof Uploaded>, 'results'> & { results: Results };

const keyOf = (owner: string, id: string): Key => ({ pk: `${partitions.build}${owner}`, sk: id });
const listOf = (owner: string): string => `BUILDS#${owner}`;
const uploadsOf = ({ id }: Build): string => `${partitions.upload}${id}`;

const uploadItems = async (db: Db, build: Build, begin = ''): Promise<Item[]> => {
  return allIn(db, { partition: uploadsOf(build), ...(begin && { begin }) });
};

export type BuildStore = ReturnType<typeof buildStore>;

/** Stores the builds of Lighthouse CI, and their reports until the seal. */
export const buildStore = (db: Db) => ({
  /** Creates a build. Returns false if it is sealed. An upload that has not ended begins again, without its first reports. */
  create: (owner: string, build: Build): Promise<boolean> => {
    const listed = { list: listOf(owner), listKey: listKeyOf(build) };
    return putOnce(
      db,
      { ...keyOf(owner, build.id), ...listed, ...build, sent: JSON.stringify(build.sent) },
      {
        condition: `${ifAbsent.condition} OR #lifecycle = :unsealed`,
        values: { ':unsealed': 'unsealed' },
      },
    );
  },

  find: async (owner: string, id: string): Promise<Build | undefined> => readBuild(await getItem(db, keyOf(owner, id))),

  /** Returns the newest builds that match, at most `limit`. Looks at some hundreds. */
  list: async (owner: string, limit: number, matches: (build: Build) => boolean): Promise<Build[]> => {
    const found: Build[] = [];
    let looks = 0;
    for await (const page of pagesIn(db, { index: 'list', partition: listOf(owner), limit: PAGE, newestFirst: true })) {
      const builds = await Promise.all(page.map(async ({ sk }) => readBuild(await getItem(db, keyOf(owner, sk)))));
      found.push(...builds.filter((build) => build !== undefined).filter(matches));
      looks += page.length;
      if (found.length >= limit || looks >= MAX_LOOKS) break;
    }
    return found.slice(0, limit);
  },

  /** Seals a build, so that it takes no further reports. Safe to repeat. */
  seal: (owner: string, { id }: Build, now: Date) =>
    updateItem(db, keyOf(owner, id), {
      set: { lifecycle: 'sealed', updatedAt: now.toISOString() },
      returns: 'NONE',
      ...ifExists,
    }),

  /** Returns the reports of a build for one check, or for all of its checks, in the order of their upload. */
  uploads: async <Results>(build: Build, checkId = ''): Promise<(Uploaded<Results> & { checkId: string })[]> => {
    const items = await uploadItems(db, build, `${build.createId}#${checkId}`);
    return items.map(({ pk, sk, upload }) => ({
      ...(parse(Uploaded, { pk, sk, ...(unpack(upload) as object) }) as Uploaded<Results>),
      checkId: String(sk).split('#')[1] as string,
    }));
  },

  /** Returns the keys of the reports of uploads that a build began again. No check has them. */
  abandoned: async (build: Build): Promise<string[]> => {
    const items = (await uploadItems(db, build)).filter(({ sk }) => !String(sk).startsWith(build.createId));
    return items.map(({ pk, sk, upload }) => parse(Uploaded, { pk, sk, ...(unpack(upload) as object) }).report.key);
  },

  /** Deletes the reports that waited for the seal of a build, also those of uploads that it began again. */
  removeUploads: async (build: Build): Promise<void> => {
    for (const { pk, sk } of await uploadItems(db, build)) await deleteItem(db, { pk, sk } as Key, ifExists);
  },

  /** Adds a report to a build at a place of its check. Returns false if another report has the place. */
  addUpload: (build: Build, checkId: string, place: number, upload: Uploaded<unknown>): Promise<boolean> =>
    putItem(
      db,
      {
        pk: uploadsOf(build),
        sk: `${build.createId}#${checkId}#${String(place).padStart(2, '0')}`,
        upload: pack(upload),
        expiresAt: build.expiresAt,
      },
      ifAbsent,
    ),
});

const PAGE = 20;
const MAX_LOOKS = 200;

const readBuild = (item: Item | undefined): Build | undefined =>
  item && parse(Build, { ...item, sent: JSON.parse(String(item.sent)) });
