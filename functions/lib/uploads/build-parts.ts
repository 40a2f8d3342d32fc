import { v5 as uuidv5 } from 'uuid';
import { ApiProblemError } from '../../../shared/problems.ts';
import { ELSEWHERE } from '../../../shared/regions.ts';
import type { BuildStore } from '../store/builds.ts';
import type { CheckStore } from '../store/checks.ts';
import type { Reports } from '../store/reports.ts';
import type { UsageStore } from '../store/usage.ts';
import type { UploadDeps } from './store-upload.ts';

export type LighthouseCiDeps = UploadDeps & {
  store: Pick<CheckStore, 'findOrErased'>;
  builds: BuildStore;
  reports: Pick<Reports, 'put' | 'delete'>;
  usage: Pick<UsageStore, 'take'>;
  maxBytes: number;
};

export const invalidBuild = (detail: string) => new ApiProblemError('invalid-build', detail);

export const runIdOf = (checkId: string): string => uuidv5(ELSEWHERE, checkId);
