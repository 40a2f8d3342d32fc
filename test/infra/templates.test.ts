import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { synthesized, synthesizedAnew, templateOf } from './support.ts';

test.each(Object.keys(environments))('%s breaks no rule of AwsSolutions without a reason in its construct', (name) => {
  const { app } = synthesizedAnew(name);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth(); // throws if a rule is broken
});

test('the rules are checked: an open bucket is found', () => {
  const { app, home } = synthesizedAnew();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  home.node.findChild('Reports').node.findChild('Bucket').node.tryRemoveChild('Policy');
  expect(() => app.synth()).toThrow('AwsSolutions-S10');
});

// One region stack is enough, because another test checks that all region stacks are alike.
test.each(['home', 'us-west1'])('the template of %s matches its snapshot', (id) => {
  const { all } = synthesized('dev');
  const stack = all.find(({ stackName }) => stackName === `page-audit-dev-${id}`);
  const { Resources, Outputs } = templateOf(stack as (typeof all)[number]).toJSON();
  expect({ Resources, Outputs }).toMatchSnapshot();
});
