import type { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { resourcesOf, synthesized, templateOf } from './support.ts';

/** Limits of CloudFormation for one stack, and of IAM for the policies in one role. AWS raises none of them. */
const limits = { resources: 500, outputs: 200, templateBytes: 1_000_000, roleCharacters: 10_240 };
/** Share of a limit that a stack may reach. The rest is room for the fix that must be deployed on a bad day. */
const SHARE = 0.8;
/** Resources of a home stack. Each route adds one, and each function behind routes seven. */
const MAX_HOME = 300;

const sizesOf = (stack: Stack): Record<keyof typeof limits, number> => {
  const template = templateOf(stack).toJSON();
  const policies = resourcesOf(stack, 'AWS::IAM::Role').map(({ Policies = [] }) => JSON.stringify(Policies).length);
  return {
    resources: Object.keys(template.Resources).length,
    outputs: Object.keys(template.Outputs ?? {}).length,
    templateBytes: JSON.stringify(template, null, 1).length, // as the CDK writes it
    roleCharacters: Math.max(...policies),
  };
};

test.each(Object.keys(environments))('each stack of %s stays below four fifths of the limits of AWS', (name) => {
  const { all, home } = synthesized(name);
  for (const stack of all) {
    for (const [limit, size] of Object.entries(sizesOf(stack)))
      expect(size, `${limit} of ${stack.stackName}`).toBeLessThan(SHARE * limits[limit as keyof typeof limits]);
  }
  expect(sizesOf(home).resources).toBeLessThanOrEqual(MAX_HOME);
});
