import type { Streams } from '../../clients/cli/streams.ts';
import { ownerHash } from '../../functions/lib/owner-hash.ts';
import { ifReadable } from '../../functions/lib/store/dynamodb.ts';
import type { KeyStore, UnreadableKey } from '../../functions/lib/store/keys.ts';
import { pick } from '../../shared/pick.ts';
import { keyParts } from '../../shared/service/key-text.ts';
import { type ApiKey, type KeyState, keyState, Owner, PlanName, Scope } from '../../shared/service/keys.ts';
import { limitNames, limitText } from '../../shared/service/plans.ts';
import { commandLine } from '../local/command-line.ts';
import { commonOptions, parseArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { UsageError } from './table.ts';

export const usage = `${commandLine('keys', `create --owner OWNER --name NAME [--scopes ${Scope.options.join(',')}] [--plan PLAN] [--expires 90d]`)}
${commandLine('keys', 'list [--owner OWNER]')}
${commandLine('keys', 'revoke PREFIX')}

  --owner        owner of the key; its checks are visible to all its keys
  --name         purpose of the key, up to 100 characters
  --scopes       checks:read reads checks, checks:write creates, shares and erases checks,
                 webhooks:write creates webhooks, which receive all checks,
                 schedules:write creates schedules, which create checks; all by default
  --plan         ${PlanName.options.join(', ')}; by default the plan of the owner's other keys, or standard
  --expires      after hours, days or weeks (12h, 90d, 4w), or on a date (2027-01-31); never by default
  --environment  trial, dev, staging, prod or large: keys on AWS, with the credentials that the AWS CLI uses;
                 by default keys on this machine, in DATA_DIR (.local), whether or not the service runs
  --json         prints JSON
`;

const options = {
  owner: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  plan: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...commonOptions,
} as const;
type Values = ReturnType<typeof parse>['values'];

const parse = (args: string[]) => parseArguments({ args, options, allowPositionals: true });

/** Returns the command that the arguments ask for. Throws a UsageError if an argument is invalid. */
export const commandFrom = (args: string[]) => {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (values.help) return 'help' as const;
  const build = { create, list, revoke }[command ?? ''];
  if (!build)
    throw new UsageError(
      `${command ? `There is no command "${command}".` : 'The command is missing.'} Use create, list or revoke.`,
    );
  return { environment: values.environment, run: build(values, rest) };
};

/** Runs a command. Writes its result with `print`, and messages with `note`. */
type Run = (store: KeyStore, streams: Pick<Streams, 'print' | 'note'>) => Promise<void>;

const create = (values: Values, rest: string[]): Run => {
  refuseMore(rest);
  const owner = Owner.safeParse(values.owner);
  if (!owner.success)
    throw new UsageError(
      `--owner: ${values.owner ? owner.error.issues[0]?.message : 'Name the owner of the key, for example --owner acme.'}`,
    );
  if (!values.name || values.name.length > 100)
    throw new UsageError('--name: Say what the key is for, in up to 100 characters.');
  const { name } = values;
  const scopes = Scope.array()
    .min(1)
    .safeParse(values.scopes?.split(',') ?? Scope.options);
  if (!scopes.success) throw new UsageError(`--scopes: Use one or more of ${Scope.options.join(',')}.`);
  const chosenPlan = PlanName.optional().safeParse(values.plan);
  if (!chosenPlan.success) throw new UsageError(`--plan: Use one of ${PlanName.options.join(', ')}.`);
  const now = new Date();
  const expiresAt = values.expires === undefined ? null : expiryFrom(values.expires, now);

  return async (store, { print, note }) => {
    const others = (await store.list()).keys.filter(
      (key) => key.owner === owner.data && keyState(key, now) === 'active',
    );
    const plan = chosenPlan.data ?? others.at(-1)?.plan ?? 'standard';
    const created = await store.create(
      { owner: owner.data, name, scopes: [...new Set(scopes.data)], plan, expiresAt },
      now,
    );
    const text = values.json ? JSON.stringify({ key: created.text, ...keyView(created.key, now) }) : created.text;
    await print(`${text}\n`).catch(({ message }) => {
      const { prefix } = created.key;
      throw new Error(
        `The new key ${prefix} is lost. ${message} Revoke it: ${keysCommand(values, `revoke ${prefix}`)}`,
      );
    });
    if (values.json) return;
    note(`
This is the key. It is shown once and not stored. Send it as "Authorization: Bearer <key>".
Prefix ${created.key.prefix}, owner ${owner.data}, ${scopes.data.join(' and ')}, expires ${expiresAt ?? 'never'}.
Plan ${plan}: ${limitNames.map((name) => limitText(plan, name)).join(', ')}.`);
    if (others.some((key) => key.plan !== plan))
      note(`Other keys of ${owner.data} have another plan. Each plan counts its audits separately.`);
  };
};

const list = (values: Values, rest: string[]): Run => {
  refuseMore(rest);
  return async (store, { print, note }) => {
    const now = new Date();
    const { keys: readable, unreadable } = await store.list();
    const isShown = ({ owner }: { owner?: string }) => [undefined, owner].includes(values.owner);
    const keys = [...readable.filter(isShown), ...unreadable.filter((key) => key.owner === undefined || isShown(key))];
    if (values.json) return print(`${JSON.stringify(keys.map((key) => keyView(key, now)))}\n`);
    if (keys.length === 0)
      return note(`There are no keys. To create one: ${keysCommand(values, 'create --owner OWNER --name NAME')}`);
    const rows = keys.map((key) => [
      key.prefix,
      stateOf(key, now),
      key.owner ?? UNKNOWN,
      key.name ?? UNKNOWN,
      key.scopes?.join(',') ?? UNKNOWN,
      key.plan ?? UNKNOWN,
      key.owner ? ownerHash(key.owner) : UNKNOWN,
      toMinute(key.createdAt),
      toMinute(key.expiresAt),
      toMinute(key.lastUsedAt),
    ]);
    await print(`${columns([headings, ...rows])}\n`);
  };
};

const headings = ['PREFIX', 'STATE', 'OWNER', 'NAME', 'SCOPES', 'PLAN', 'IN LOGS', 'CREATED', 'EXPIRES', 'LAST USED'];

const revoke = (values: Values, [text, ...rest]: string[]): Run => {
  refuseMore(rest);
  if (!text) throw new UsageError(`The prefix of the key is missing. To find it: ${keysCommand(values, 'list')}`);
  const prefix = keyParts(text)?.prefix ?? text.replace(/^pas_/, '');
  return async (store, { print, note }) => {
    const now = new Date();
    const key = await store.find(prefix).catch(ifReadable);
    if (!key?.revokedAt && !(await store.revoke(prefix, now)))
      throw new UsageError(
        `There is no key with the prefix "${prefix}". To list all keys: ${keysCommand(values, 'list')}`,
      );
    const revoked = { ...(key ?? UNREADABLE), prefix, revokedAt: key?.revokedAt ?? now.toISOString() };
    if (values.json) return print(`${JSON.stringify(keyView(revoked, now))}\n`);
    if (!key) note(`The key ${prefix} is revoked. The rest of its stored item can't be read.`);
    else if (key.revokedAt)
      note(`The key ${prefix} ("${key.name}" of ${key.owner}) was revoked before, at ${toMinute(key.revokedAt)}.`);
    else
      note(
        `The key ${prefix} ("${key.name}" of ${key.owner}) is revoked. Running functions accept it for up to another minute.`,
      );
  };
};

/** Returns a command for copying that works on the same keys. */
const keysCommand = ({ environment }: Values, args: string): string => commandLine('keys', args, environment);

const refuseMore = (rest: string[]): void => {
  if (rest.length > 0)
    throw new UsageError(`The argument "${rest[0]}" is not expected here. Put a value with spaces in quotes.`);
};

/** Fields of a key that the command shows. The hash of the secret is not one of them. */
const shownFields = [
  'prefix',
  'owner',
  'name',
  'scopes',
  'plan',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
] as const;

const keyView = (key: ApiKey | UnreadableKey, now: Date) => ({
  ...pick(key, shownFields),
  ...(key.owner !== undefined && { ownerHash: ownerHash(key.owner) }),
  state: stateOf(key, now),
});

const UNKNOWN = '?';
const UNREADABLE = { isUnreadable: true } as const;

const stateOf = (key: ApiKey | UnreadableKey, now: Date): KeyState | 'unreadable' => {
  if (!('isUnreadable' in key)) return keyState(key, now);
  return key.revokedAt ? 'revoked' : 'unreadable';
};

const toMinute = (time: string | null | undefined): string =>
  time === undefined ? UNKNOWN : (time?.slice(0, 16).replace('T', ' ') ?? 'never');

const expiryFrom = (text: string, now: Date): string => {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const hours = { h: 1, d: 24, w: 7 * 24 }[unit ?? ''];
  const time = hours
    ? now.getTime() + Number(count) * hours * 3600 * 1000
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(text)
      : NaN;
  if (!(time > now.getTime()))
    throw new UsageError('--expires: Use a time in the future, for example 12h, 90d, 4w or 2027-01-31.');
  return new Date(time).toISOString();
};
