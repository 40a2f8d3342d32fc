import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { partitions } from '../../../shared/service/partitions.ts';
import {
  type Db,
  deleteItem,
  getItem,
  type Item,
  type Key,
  parse,
  putItem,
  putOnce,
  updateItem,
  updateOnce,
  WriteConflictError,
} from './dynamodb.ts';
import { allOf, anyOf, type Change, ifAbsent, ifExists } from './expressions.ts';
import { ifEqual } from './items.ts';
import { listKeyOf } from './lists.ts';
import { pack, unpack } from './packed.ts';
import { allIn, pagesIn } from './query.ts';
import { StoredReport } from './stored.ts';

/*
 * A build of Lighthouse CI is one commit of a branch. Its reports wait here until the uploader seals the build, because all
 * reports of a page become the samples of one check. The build lists the reports that it has taken, and its seal begins with
 * a write of the same item. So each report is either in the checks of the build or refused.
 *
 * UPLOAD#<build>      <createId>#<check>#<report>  report that waits for the seal
 * UNSEALED#<owner>    <build>                      unsealed build, with the bytes of its reports
 */
const time = z.iso.datetime();
const TakenReport = z.object({ checkId: z.uuid(), place: z.int(), bytes: z.int() });
export const Build = z.object({
  id: z.uuid(),
  createId: z.uuid(), // of the upload that fills the build
  lifecycle: z.enum(['unsealed', 'sealing', 'sealed']),
  hash: z.string(),
  branch: z.string(),
  /** The other fields of the build, as the uploader sent them. The answers show them. */
  sent: z.record(z.string(), z.string()),
  /** The reports that wait for the seal, in the order of their places. */
  taken: z.record(z.uuid(), TakenReport).default({}),
  createdAt: time,
  updatedAt: time,
  expiresAt: z.number(), // in seconds
  writeId: z.string().optional(),
});
export type Build = z.infer<typeof Build>;
export type TakenReport = z.infer<typeof TakenReport>;

/** Key of the settings of a project, beside its builds. */
export const SETTINGS = 'SETTINGS';
export const ProjectSettings = z.object({ baseBranch: z.string().nullish() });
export type ProjectSettings = z.infer<typeof ProjectSettings>;

/** A report of a build. `results` are those of its run. */
const Uploaded = z.object({ url: z.string(), report: StoredReport, results: z.unknown() });
export type Uploaded<Results> = Omit<z.infer<typeof Uploaded>, 'results'> & { results: Results };

/** Entry of an unsealed build. */
export const Unsealed = z.object({ since: time, bytes: z.int(), expiresAt: z.number() });
export type Unsealed = z.infer<typeof Unsealed> & { id: string };

const keyOf = (owner: string, id: string): Key => ({ pk: `${partitions.build}${owner}`, sk: id });
const unsealedKey = (owner: string, id: string): Key => ({ pk: `${partitions.unsealed}${owner}`, sk: id });
const listOf = (owner: string): string => `BUILDS#${owner}`;
const uploadKey = ({ id, createId }: Pick<Build, 'id' | 'createId'>, checkId: string, reportId: string): Key => ({
  pk: `${partitions.upload}${id}`,
  sk: `${createId}#${checkId}#${reportId}`,
});

export type BuildStore = ReturnType<typeof buildStore>;

/** Stores the builds of Lighthouse CI, and their reports until the seal. */
export const buildStore = (db: Db) => ({ ...builds(db), ...reportsOfBuilds(db), ...unsealedBuilds(db) });

const builds = (db: Db) => ({
  /** Returns the settings of an owner's project. */
  settings: async (owner: string): Promise<ProjectSettings> =>
    parse(ProjectSettings, (await getItem(db, keyOf(owner, SETTINGS))) ?? {}),

  setSettings: async (owner: string, settings: ProjectSettings): Promise<void> => {
    await updateItem(db, keyOf(owner, SETTINGS), { set: settings, returns: 'NONE', ...ifAny });
  },

  /** Creates a build. Returns false if its seal has begun. An upload that has not ended begins again, without its first reports. */
  create: (owner: string, build: Build): Promise<boolean> => {
    const listed = { list: listOf(owner), listKey: listKeyOf(build) };
    return putOnce(
      db,
      { ...keyOf(owner, build.id), ...listed, ...build, sent: JSON.stringify(build.sent) },
      anyOf(['pk', 'absent'], ['lifecycle', '=', 'unsealed']),
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

  /** Changes a build as `decide` says of its newest state, or not at all. Returns the build, or undefined if there is none. */
  change: async (owner: string, id: string, decide: (build: Build) => Decision): Promise<Build | undefined> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const build = readBuild(await getItem(db, keyOf(owner, id)));
      const change = build && decide(build);
      if (!change) return build;
      const ifUnchanged = allOf(ifExists, ifEqual('writeId', build.writeId));
      const written = await updateOnce(db, keyOf(owner, id), { ...change, ...ifUnchanged });
      if (written) return readBuild(written);
      await sleep(Math.random() * LONGEST_BACKOFF_MS);
    }
    throw new WriteConflictError(`the build ${id}`, TRIES);
  },

  /** Deletes a build, unless it has changed since it was read. */
  remove: (owner: string, { id, writeId }: Build): Promise<boolean> =>
    deleteItem(db, keyOf(owner, id), allOf(ifExists, ifEqual('writeId', writeId))),
});

const reportsOfBuilds = (db: Db) => ({
  /** Stores a report of a build. Safe to repeat. */
  putUpload: async (build: Build, checkId: string, reportId: string, upload: Uploaded<unknown>): Promise<void> => {
    const { expiresAt } = build;
    await putItem(db, { ...uploadKey(build, checkId, reportId), upload: pack(upload), expiresAt }, ifAbsent);
  },

  /** Returns the reports that wait for the seal of a build, also those that it has not taken. */
  uploads: async <Results>({ id }: Pick<Build, 'id'>): Promise<Waiting<Results>[]> =>
    (await allIn(db, { partition: uploadKey({ id, createId: '' }, '', '').pk })).map(({ pk, sk, upload }) => {
      const [createId = '', checkId = '', reportId = ''] = sk.split('#');
      const parsed = parse(Uploaded, { pk, sk, ...(unpack(upload) as object) }) as Uploaded<Results>;
      return { ...parsed, createId, checkId, reportId };
    }),

  removeUpload: (
    { id }: Pick<Build, 'id'>,
    { createId, checkId, reportId }: Omit<Waiting<unknown>, keyof Uploaded<unknown>>,
  ) => deleteItem(db, uploadKey({ id, createId }, checkId, reportId), ifExists),
});

const unsealedBuilds = (db: Db) => ({
  /** Returns the unsealed builds of an owner. A build that was sealed may be among them for a moment. */
  unsealed: async (owner: string): Promise<Unsealed[]> =>
    (await allIn(db, { partition: unsealedKey(owner, '').pk })).map((item) => ({
      ...parse(Unsealed, item),
      id: item.sk,
    })),

  putUnsealed: async (owner: string, { id, createdAt: since, expiresAt }: Build): Promise<void> => {
    const ifNewer = anyOf(['pk', 'absent'], ['since', '<=', since]);
    await putItem(db, { ...unsealedKey(owner, id), since, bytes: 0, expiresAt }, ifNewer);
  },

  /** Says how many bytes the reports of an unsealed build have. */
  countBytes: async (owner: string, { id, taken }: Build): Promise<void> => {
    const bytes = Object.values(taken).reduce((sum, each) => sum + each.bytes, 0);
    await updateItem(db, unsealedKey(owner, id), { set: { bytes }, returns: 'NONE', ...anyOf(['bytes', '<', bytes]) });
  },

  removeUnsealed: (owner: string, { id, since }: Pick<Unsealed, 'id' | 'since'>) =>
    deleteItem(db, unsealedKey(owner, id), ifEqual('since', since)),
});

type Decision = Pick<Change, 'set' | 'remove'> | undefined;
type Waiting<Results> = Uploaded<Results> & { createId: string; checkId: string; reportId: string };

/** Writes of a build that another one lets pass. */
const TRIES = 50;
const LONGEST_BACKOFF_MS = 100;
/** Holds for each item. The last write wins. */
const ifAny = anyOf(['pk', 'absent'], ['pk', 'exists']);

const PAGE = 20;
const MAX_LOOKS = 200;

const readBuild = (item: Item | undefined): Build | undefined =>
  item && parse(Build, { ...item, sent: JSON.parse(String(item.sent)) });
