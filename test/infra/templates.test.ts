import { type CfnResource as CfnResourceOfCdk, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { synthesized, synthesizedAnew, templateOf } from './support.ts';

beforeAll(() => void vi.stubEnv('CDK_VALIDATION', 'true'));
afterAll(() => void vi.unstubAllEnvs());

test.each(Object.keys(environments))(
  '%s breaks no rule of CloudFormation, and none of AwsSolutions without a reason in its construct',
  (name) => {
    const { app } = synthesizedAnew(name);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth(); // throws if a rule is broken
  },
);

test('the rules are checked: an open bucket is found', () => {
  const { app, home } = synthesizedAnew();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  home.node.findChild('Reports').node.findChild('Bucket').node.tryRemoveChild('Policy');
  expect(() => app.synth()).toThrow('AwsSolutions-S10');
});

// A changed logical id or property of these makes CloudFormation replace the resource, and its data are gone.
const stateful: Record<string, readonly string[]> = {
  'AWS::DynamoDB::GlobalTable': [
    'AttributeDefinitions',
    'KeySchema',
    'GlobalSecondaryIndexes',
    'BillingMode',
    'TimeToLiveSpecification',
  ],
  'AWS::S3::Bucket': ['BucketName', 'LifecycleConfiguration', 'VersioningConfiguration'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue', 'MessageRetentionPeriod', 'RedrivePolicy', 'VisibilityTimeout'],
};

/** Lists a template: `<logical id> <type> <deletion policy>`, and below it the properties of a resource that holds data. */
const listingOf = (stack: Stack): string =>
  Object.entries(templateOf(stack).toJSON().Resources as Record<string, CfnResource>)
    .filter(([, { Type }]) => Type !== 'AWS::Lambda::Version') // each release has others by intent
    .map(([id, { Type, DeletionPolicy = '', Properties = {} }]) => [
      `${id} ${Type} ${DeletionPolicy}`.trimEnd(),
      ...(stateful[Type] ?? [])
        .filter((name) => name in Properties)
        .map((name) => `  ${name} ${JSON.stringify(Properties[name])}`),
    ])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .flat()
    .join('\n');

type CfnResource = { Type: string; DeletionPolicy?: string; Properties?: Record<string, unknown> };

// One region stack is enough, because another test checks that all region stacks are alike.
test.each(['home', 'us-west1'])('the resources of %s keep their logical ids and what holds data', async (id) => {
  const stack = synthesized('dev').all.find(({ stackName }) => stackName === `page-audit-dev-${id}`);
  await expect(`${listingOf(stack as Stack)}\n`).toMatchFileSnapshot(`listings/${id}.txt`);
});

test('the templates are validated: a property that CloudFormation does not know is found', () => {
  const { app, home } = synthesizedAnew();
  const bucket = home.node.findChild('Reports').node.findChild('Bucket').node.defaultChild as CfnResourceOfCdk;
  bucket.addPropertyOverride('Unknown', true);
  expect(() => app.synth()).toThrow('Unknown');
});
