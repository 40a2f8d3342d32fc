import type { Row } from './assertion-cases.ts';

/** A result of Lighthouse CI. */
export type LhciResult = {
  auditId: string;
  auditProperty?: string;
  name: string;
  level: string;
  operator: string;
  expected: number;
  actual: number | null;
  passed: boolean;
};

/** Returns a result of Lighthouse CI in the form that tests compare. */
export const rowOf = ({ auditId, auditProperty, name, level, operator, expected, actual, passed }: LhciResult): Row => [
  auditProperty ? `${auditId}:${auditProperty.replaceAll('.', ':')}` : auditId,
  name,
  level,
  operator,
  expected,
  Number.isNaN(actual) ? null : actual,
  passed,
];
