import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** An operator's command, which `npm run` starts from a file of infra/operator. */
export type CommandName =
  | 'backup'
  | 'check-data'
  | 'deploy'
  | 'keys'
  | 'open'
  | 'pause'
  | 'regions'
  | 'restore'
  | 'resume'
  | 'smoke';

/** `dataDir` is a data folder other than that of this process. */
type Place = { env: NodeJS.ProcessEnv; container: 'docker' | 'podman' | undefined; dataDir?: string };

/**
 * Returns a command for copying. It works on the data that this process uses: those of an environment on AWS, or those of
 * DATA_DIR. The image has no npm, so its commands run in the container of this process.
 */
export const commandLine = (
  name: CommandName,
  args: string,
  environment?: string,
  { env, container, dataDir }: Place = thisPlace(),
): string => {
  const all = environment === undefined ? args : `${args} --environment ${environment}`.trim();
  const other = dataDir === undefined ? '' : `-e DATA_DIR=${quoted(dataDir)} `;
  if (container)
    return `${container} exec ${other}${env.HOSTNAME ?? 'CONTAINER'} node infra/operator/${name}.ts ${all}`.trim();
  const { DATA_DIR, AWS_PROFILE } = dataDir === undefined ? env : { ...env, DATA_DIR: dataDir };
  const settings = environment === undefined ? { DATA_DIR: DATA_DIR && resolve(DATA_DIR) } : { AWS_PROFILE };
  const set = Object.entries(settings).flatMap(([key, value]) => (value ? [`${key}=${quoted(value)} `] : []));
  return `${set.join('')}npm run ${name}${all && ` -- ${all}`}`;
};

/** Other containers, such as one for development, have npm. Only our image sets the variable. */
export const thisPlace = (): Place => {
  const engine = existsSync('/run/.containerenv') ? 'podman' : 'docker';
  return { env: process.env, container: process.env.PAGE_AUDIT_IMAGE === '1' ? engine : undefined };
};

/** Returns a word as a shell reads it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
