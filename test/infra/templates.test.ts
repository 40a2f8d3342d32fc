import { Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { synthesized } from './support.ts';

test.each(Object.keys(environments))(
  '%s breaks no rule of AwsSolutions but those that the constructs explain',
  (name) => {
    const { app } = synthesized(name);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth(); // throws what it finds
  },
);

test('the rules are looked at: a bucket without them is found', () => {
  const { app, home } = synthesized();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  home.node.findChild('Reports').node.findChild('Bucket').node.tryRemoveChild('Policy');
  expect(() => app.synth()).toThrow('AwsSolutions-S10');
});

// One of the region stacks: that they are alike is a test of its own.
test.each(['home', 'us-west1'])('what would be deployed as %s', (id) => {
  const { all } = synthesized('dev');
  const stack = all.find(({ stackName }) => stackName === `page-audit-dev-${id}`);
  const { Resources, Outputs } = Template.fromStack(stack as (typeof all)[number]).toJSON();
  expect({ Resources, Outputs }).toMatchSnapshot();
});
