import type { AllowedTarget } from '../../shared/service/allowed-targets.ts';
import { TargetsEnv } from '../../shared/service/env.ts';

/** Returns the entries of a text of TARGETS_ALLOW. */
export const entriesOf = (text: string): AllowedTarget[] => TargetsEnv.parse({ TARGETS_ALLOW: text }).TARGETS_ALLOW;

/** Entries that name no host of ssrf-cases.json. */
export const elsewhere = entriesOf('*.staging.test,intranet.example,10.250.0.0/16,fd77::/16,100.66.0.0/16');
