import { levelOf } from '../../../shared/assertions/assertions.ts';
import { interactionOfKey } from '../../../shared/assertions/interactions.ts';
import { type CheckAssertions, setsOf } from '../../../shared/assertions/sets.ts';
import { type AuditVersion, auditVersion, resolveAuditVersion } from '../../../shared/audit-versions.ts';
import type { CreateCheckBody } from '../../../shared/check.ts';
import { secretSteps } from '../../../shared/interactions/interactions.ts';
import { belongsTo } from '../../../shared/options/secrets.ts';
import type { InputError } from '../../../shared/problems.ts';
import { registrableDomain } from '../targets/registrable-domain.ts';

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

type Texts = {
  /** Body of the create as it was sent. */
  sent: Record<string, unknown>;
  /** Names of the secret texts that the check has. */
  names: readonly string[];
};

/** Judges the secret texts that steps type. An error names the step, and never the text. */
export const secretTextErrors = (
  { interactions = [], against, url }: Partial<CreateCheckBody>,
  { sent, names }: Texts,
): InputError[] => {
  const steps = secretSteps(interactions);
  const unused = names.filter((name) => !steps.some(({ secret }) => secret === name));
  const isJudged = sent.interactions === undefined || interactions.length > 0; // else the interactions have their own errors
  const isUnused = sent.secretTexts !== undefined && isJudged && unused.length > 0;
  const [first] = steps;
  const [host, other] = [url, against?.url].map((each) => URL.parse(each ?? '')?.hostname);
  const isElsewhere = host && other && !belongsTo(host, other, registrableDomain);
  return [
    ...steps.flatMap(({ place, path, secret }) =>
      names.includes(secret)
        ? []
        : [
            {
              path,
              message: `The secret text that ${place} types is missing. Send it in \`secretTexts\` by its name.`,
            },
          ],
    ),
    ...(isUnused
      ? [{ path: 'secretTexts', message: `No step types the secret texts ${unused.join(', ')}. Leave them out.` }]
      : []),
    ...(first && isElsewhere
      ? [
          {
            path: 'against.url',
            message: `The text that ${first.place} types is for the site of ${host} only. Compare two pages of that site, or leave the step out.`,
          },
        ]
      : []),
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
