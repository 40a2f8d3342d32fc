import type { CreateCheckBody } from '../../../shared/check.ts';
import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import { cutText } from '../../../shared/text.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { againstFrom, inputsFrom, SAMPLES_WITH_BASE } from '../flags/option-flags.ts';
import type { RunOptions } from '../flags/options.ts';
import { throttlingFor } from '../flags/throttling.ts';
import { checkOutputs, writeForms } from '../formats/output.ts';
import type { FormatName, render } from '../formats/render.ts';
import { artifactsFor } from '../formats/report-names.ts';
import { withCollected } from '../lighthouserc/collecting.ts';
import { type Rules, readRules } from '../lighthouserc/rules.ts';
import { readSecrets } from '../login/secrets.ts';
import { auditBatch, type Batch, createAll } from '../many/audit-batch.ts';
import { renderBatch } from '../many/batch-text.ts';
import { TIMEOUT, TIMEOUT_OF_MANY } from '../many/limits.ts';
import { namesManyPages, pagesFrom } from '../many/page-list.ts';
import { servePages } from '../many/page-servers.ts';
import { pageUrlFrom } from '../many/page-urls.ts';
import { findBase } from './base.ts';
import { baseHostFrom } from './base-url.ts';
import { type Ending, follow } from './follow.ts';
import { requireTerminal } from './open.ts';
import { checkReports, formsOf, namedRuns } from './report-files.ts';
import { type CheckResult, originOf } from './result.ts';
import { keepingChecks, type Read, timeLimit } from './waiting.ts';

/** Creates a check for each URL and device, waits for all of them, and prints the results. */
export const run = async (
  context: Context,
  given: readonly string[],
  flags: Omit<RunOptions, 'timeout'> & { timeout?: number },
): Promise<number> => {
  if (!namesManyPages(flags)) {
    if (flags.sitemapHost !== undefined) throw new UsageError('--sitemap-host is for the pages of --sitemap.');
    if (flags.limit !== undefined) throw new UsageError('--limit is for the pages of --sitemap or --urls-file.');
    const options = { ...flags, timeout: flags.timeout ?? TIMEOUT };
    return auditing(context, given, options, { write: writeIn(context, options) });
  }
  const urls = await pagesFrom(context, given, flags);
  const name = flags.label?.batch ?? flags.idempotencyKey ?? newBatchName(); // a repeated command must send the same checks
  const options = {
    ...flags,
    timeout: flags.timeout ?? TIMEOUT_OF_MANY,
    label: { ...flags.label, batch: cutText(name, MAX_LABEL_LENGTH) },
  };
  return auditing(context, urls, options, {
    isBatch: true,
    write: writeIn(context, options, renderBatch({ name: options.label.batch })),
  });
};

const writeIn =
  (context: Context, options: RunOptions, renderAs?: typeof render): Ending['write'] =>
  (results, client) =>
    writeForms<FormatName | 'html'>(context, formsOf(context, client, results, renderAs), options);

/** Longest value of a label that the service accepts. */
const MAX_LABEL_LENGTH = 128;

const newBatchName = (): string => `${new Date().toISOString().slice(0, 19)}-${crypto.randomUUID().slice(0, 4)}`;

/** Creates a check for each URL and device, waits for all of them, and writes the results. Returns the exit code. */
export const auditing = async (
  context: Context,
  given: readonly string[],
  flags: RunOptions,
  { write, isGate = true, isBatch = false }: Pick<Ending, 'write'> & Partial<Ending> & { isBatch?: boolean },
): Promise<number> => {
  const { options: typed, rc, collect, ...collected } = await withCollected(given, flags);
  const { against } = typed;
  const options = { ...typed, ...(against !== undefined && { against: pageUrlFrom(against) }) };
  if (options.detach && !context.serviceUrl) {
    throw new UsageError('--detach needs a service that goes on. Set PAGE_AUDIT_URL to its URL.');
  }
  if (flags.chromePath !== undefined && context.serviceUrl)
    throw new UsageError('--chrome-path is for the service of this command. Unset PAGE_AUDIT_URL.');
  requireTerminal(options.open, context);
  checkOutputs(options.output ?? []);
  const rules = await readRules(options, rc, { isFound: flags.assert === undefined }); // before the audits, so that a wrong file costs nothing
  const unused = options.chromePath !== undefined && context.serviceUrl ? [CHROME_PATH_UNUSED] : [];
  for (const line of [...collected.notes, ...unused, ...rules.notes]) context.note(line);
  const secretsOf = readSecrets(options, context.env);
  const isServed = (collect.staticDistDir ?? collect.startServerCommand) !== undefined;
  if (options.detach && isServed) {
    throw new UsageError(
      '--detach ends the command before the audits, and the server of ci.collect with it. Leave it out.',
    );
  }
  await using served = await servePages(collect, collected.urls, context, (urls) => requireUsable(urls, options));
  const urls = served.urls.map(pageUrlFrom);
  const baseHost = baseHostFrom(options, urls);
  return await withClient(withBrowser(context, options.chromePath), options.data, async (client, server) => {
    const { signal } = context;
    signal.throwIfAborted();
    const { regions, origin } = await originOf(client, { server, data: options.data, isServed }, signal);
    const plain = bodiesOf(regions, urls, { ...options, assertions: rules.assertions });
    const bodies = withSecrets(plain, secretsOf, context);
    checkReports(namedRuns(bodies), options);
    const base = options.base === undefined || baseHost ? undefined : await findBase(client, options.base, signal);
    const judging = { origin, base, pool: options.pool, intended: options.intended, baseHost };
    return keepingChecks(context, client, options.data, async (created) => {
      const batch: Batch = {
        client,
        bodies,
        created,
        idempotencyKeyOf: (i) => keyOf(options.idempotencyKey, i),
        limit: timeLimit(options.timeout),
        refused: isBatch ? [] : undefined,
      };
      const confirming = options.confirm !== false &&
        (base !== undefined || baseHost) && {
          created,
          limit: batch.limit,
          interrupted: signal,
          note: context.terminal ? () => {} : context.note,
          secretsOf: (url: string) => secretsOf(url).secrets,
        };
      const codeOf = (code: number) => (code === exitCodes.good && batch.refused?.length ? exitCodes.wrongUse : code);
      const read = isBatch && !options.detach && ((each: Read<CheckResult>) => auditBatch(batch, context, each));
      if (!read) await createAll(batch, context);
      if (options.detach) {
        await context.print(created.map(({ id }) => `${id}\n`).join(''));
        return codeOf(exitCodes.good);
      }
      const ending = { ...options, isGate, write, ...(read && { read }) };
      return codeOf(
        await follow(context, client, [...created], { ...judging, ...(confirming && { confirming }) }, ending),
      );
    });
  });
};

const CHROME_PATH_UNUSED = 'ci.collect.chromePath has no effect. The service of PAGE_AUDIT_URL has its own Chromium.';

/** Lets a service of the command use another browser. */
const withBrowser = (context: Context, chromePath: string | undefined): Context =>
  chromePath === undefined ? context : { ...context, env: { ...context.env, CHROMIUM: chromePath } };

const requireUsable = (urls: readonly string[], options: RunOptions): void => {
  const { against, base, baseUrl } = options;
  for (const url of urls) pageUrlFrom(url); // before the command starts a server
  if (against !== undefined && urls.length > 1) {
    throw new UsageError('--against has one URL, so it is compared with one page. Run the command for each page.');
  }
  if (options.confirm && (base ?? baseUrl) === undefined)
    throw new UsageError('--confirm is for a comparison with a base. Use --base or --base-url too.');
  if ((base ?? baseUrl) !== undefined && againstFrom(options, undefined)) {
    throw new UsageError(
      '--base compares with an earlier check, and --against in turns with another variant. Use one.',
    );
  }
};

const keyOf = (key: string | undefined, i: number) => (key === undefined ? undefined : `${key}-${i + 1}`);

/** Returns the bodies of the checks of URLs, one for each device. `offered` has the regions of the service. */
export const bodiesOf = (
  offered: readonly string[],
  urls: readonly string[],
  options: Omit<RunOptions, 'timeout' | 'format'> & Pick<Rules, 'assertions'>,
): CreateCheckBody[] => {
  const { region, device, auditVersion, label, assertions, base, baseUrl } = options;
  const artifacts = [
    ...new Set([...((inputsFrom(options).artifacts ?? []) as ArtifactName[]), ...artifactsFor(options.output)]),
  ];
  const regions = region?.includes('all') ? [...offered] : (region ?? offered.slice(0, 1));
  // the service refuses unknown regions, versions and categories, and says which it accepts
  return urls.flatMap((url) =>
    ((device ?? [undefined]) as CreateCheckBody['device'][]).map((each) => {
      const throttling = throttlingFor(each, options);
      const against = againstFrom(options, each);
      return {
        url,
        auditVersion,
        regions,
        ...(each && { device: each }),
        ...((base ?? baseUrl) !== undefined && { samples: SAMPLES_WITH_BASE }),
        ...(against && { samples: 'auto' as const }),
        ...inputsFrom(options),
        ...(artifacts.length > 0 && { artifacts }),
        ...(throttling && { throttling }),
        ...(label && { labels: label }),
        ...(against && { against }),
        ...(assertions && { assertions }),
      };
    }),
  );
};

/** Adds to each body the secrets for its page. Notes once for each page what is left out. */
export const withSecrets = (
  bodies: readonly CreateCheckBody[],
  secretsOf: ReturnType<typeof readSecrets>,
  { note }: Context,
): CreateCheckBody[] => {
  const pages = new Map(bodies.map(({ url }) => [url, secretsOf(url)]));
  for (const line of new Set([...pages.values()].flatMap(({ notes }) => notes))) note(line);
  return bodies.map((body) => ({ ...body, ...pages.get(body.url)?.secrets }));
};
