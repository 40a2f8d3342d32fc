/** The variants of a check: its own inputs, and those that `against` changes. */
export const variants = ['own', 'against'] as const;
export type Variant = (typeof variants)[number];

/** The inputs that `against` may change. */
export const againstNames = ['url', 'device', 'auditVersion', 'throttling', 'blockedUrlPatterns'] as const;

/** Numbers of pairs after which a run with automatic samples looks whether its changes are clear. */
export const looks = [3, 5, 8, 12] as const;
export const MAX_PAIRS = 12 satisfies (typeof looks)[number];

/** Says what a create accepts. */
export const acceptedAgainst = `The second variant must be an object with some of ${againstNames.map((name) => `\`${name}\``).join(', ')}, and no other field. At least one value must differ from that of the check.`;
