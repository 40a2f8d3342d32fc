import { levelOf } from '../../../shared/assertions/assertions.ts';
import { interactionOfKey } from '../../../shared/assertions/interactions.ts';
import { type CheckAssertions, setsOf } from '../../../shared/assertions/sets.ts';
import { type AuditVersion, auditVersion, resolveAuditVersion } from '../../../shared/audit-versions.ts';
import type { CreateCheckBody } from '../../../shared/check.ts';
import type { InputError } from '../../../shared/problems.ts';

/** Judges interactions that have the right types. `version` is the valid version of the check, if it has one. */
export const interactionErrors = (
  { interactions = [], against }: Partial<CreateCheckBody>,
  version: AuditVersion | undefined,
): InputError[] => {
  if (interactions.length === 0) return [];
  const names = interactions.map(({ name }) => name);
  const repeated = names.findIndex((name, i) => names.indexOf(name) < i);
  const other = against?.auditVersion === undefined ? undefined : resolveAuditVersion(against.auditVersion);
  return [
    ...(repeated < 0
      ? []
      : [{ path: `interactions.${repeated}.name`, message: 'Give each interaction another name.' }]),
    ...[version, other].flatMap((each) => (each && !auditVersion(each).acceptsPage ? [tooOld(each)] : [])),
  ];
};

const tooOld = (version: AuditVersion): InputError => ({
  path: 'interactions',
  message: `Lighthouse ${version} measures no interactions. Send audit version 10 or later, or leave the interactions out.`,
});

/** Returns the assertions on interactions that the check does not have. */
export const unknownInteractions = (
  assertions: CheckAssertions,
  interactions: readonly { name: string }[] = [],
): InputError[] => {
  const names = interactions.map(({ name }) => name);
  const known = names.length > 0 ? `Its interactions: ${names.join(', ')}.` : 'Add it to `interactions`.';
  return setsOf(assertions).flatMap(({ assertions: own = {} }, i) =>
    Object.entries(own).flatMap(([key, assertion]) => {
      const asked = levelOf(assertion) === 'off' ? undefined : interactionOfKey(key);
      if (!asked || names.includes(asked.interaction)) return [];
      const path = ['assertions', ...(Array.isArray(assertions) ? [i, 'assertions'] : []), key].join('.');
      return [{ path, message: `The check has no interaction ${asked.interaction}. ${known}` }];
    }),
  );
};
