import type { FormatName } from '../formats/render.ts';
import type { SecretOptions } from '../login/secrets.ts';
import type { ManyOptions } from '../many/page-list.ts';
import type { ThrottlingOptions } from './throttling.ts';

/** Options of `run`, by the names of their flags. */
export type RunOptions = SecretOptions &
  ManyOptions &
  ThrottlingOptions &
  ThrottlingOptions<'against.'> & {
    region?: string[];
    device?: string[];
    auditVersion: string;
    against?: string;
    'against.device'?: string[];
    'against.auditVersion'?: string;
    label?: Record<string, string>;
    idempotencyKey?: string;
    timeout: number;
    detach?: boolean;
    format: FormatName | 'html';
    output?: string[];
    open?: boolean;
    verbose?: boolean;
    ci?: 'github' | 'gitlab' | 'none';
    assert?: string;
    budget?: string;
    base?: string;
    baseUrl?: string;
    pool?: number;
    intended?: string[];
    confirm?: boolean;
    allowEmpty?: boolean;
    data?: string;
    chromePath?: string;
  };

/** Options of `fixes`. Without other options, its audit has the defaults. */
export type FixesOptions = RunOptions & { format: 'text' | 'json' | 'markdown' };

export type VersionsOptions = Omit<RunOptions, 'auditVersion' | 'timeout'> & {
  from?: string;
  to: string;
  format: FormatName;
  timeout?: number;
};

export type ThirdPartiesOptions = {
  region?: string;
  device?: string[];
  auditVersion: string;
  samples: number;
  timeout: number;
  format: FormatName;
  output?: string[];
  data?: string;
};

export type GetOptions = Pick<
  RunOptions,
  | 'timeout'
  | 'format'
  | 'output'
  | 'open'
  | 'verbose'
  | 'ci'
  | 'assert'
  | 'budget'
  | 'base'
  | 'baseUrl'
  | 'pool'
  | 'intended'
  | 'allowEmpty'
  | 'data'
> & { wait?: boolean };

export type ScheduleOptions = Omit<RunOptions, 'timeout' | 'format'> & {
  every: string;
  timeZone?: string;
  name?: string;
};

export type ScheduleEditOptions = Partial<ScheduleOptions> & { url?: string; forgetLogin?: boolean };

export type ReadOptions = {
  format?: FormatName;
  data?: string;
  base?: string;
  pool?: number;
  intended?: string[];
  why?: boolean;
  limit?: number;
  html?: boolean;
};
