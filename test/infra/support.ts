import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { newApp, stacksOf } from '../../infra/aws/stacks.ts';
import { environmentOf, environments } from '../../infra/environments.ts';

type Synthesized = ReturnType<typeof synthesizedAnew>;
const shared = new Map<string, Synthesized>();

/** Returns the stacks of an environment without the functions' code. The tests of a worker share them and change nothing. */
export const synthesized = (name = 'dev'): Synthesized => {
  const found = shared.get(name) ?? synthesizedAnew(name);
  shared.set(name, found);
  return found;
};

/** Returns stacks that a test may change. `change` overrides settings of the environment's row. */
export const synthesizedAnew = (name = 'dev', change: Record<string, unknown> = {}) => {
  const app = newApp({ assets: 'none' });
  const row = { ...environments[name as keyof typeof environments], ...change };
  const environment = environmentOf(name, { alarmEmail: 'ops@example.com' }, { [name]: row });
  const { home, regionStacks } = stacksOf(app, environment);
  return { app, environment, home, region: regionStacks[0] as Stack, regionStacks, all: [home, ...regionStacks] };
};

// biome-ignore lint/suspicious/noExplicitAny: a template has no type
export type Properties = Record<string, any> & { id: string };

const templates = new WeakMap<Stack, Template>();
/** Returns the template of a stack, which is read once. */
export const templateOf = (stack: Stack): Template => {
  const template = templates.get(stack) ?? Template.fromStack(stack);
  templates.set(stack, template);
  return template;
};

/** Returns the properties of all resources of a type, with resolved references. */
export const resourcesOf = (stack: Stack, type: string): Properties[] =>
  Object.entries(templateOf(stack).findResources(type)).map(([id, { Properties = {} }]) => ({
    ...(joined(Properties) as object),
    id,
  }));

/** Returns the functions of a stack by the names of their files. */
export const functionsOf = (stack: Stack): Record<string, Properties> =>
  Object.fromEntries(
    resourcesOf(stack, 'AWS::Lambda::Function').map((resource) => [
      /functions\/(.+)\.ts/.exec(resource.Description)?.[1],
      resource,
    ]),
  );

/** Returns every policy statement of a function's role. */
export const rightsOf = (stack: Stack, file: string): Properties[] => {
  const role = /<(.+)\.Arn>/.exec(functionsOf(stack)[file]?.Role)?.[1];
  return resourcesOf(stack, 'AWS::IAM::Role').flatMap((each) => (each.id === role ? statementsOf(each) : []));
};

/** Returns the policy statements of a role. They are all in the role itself. */
export const statementsOf = ({ Policies = [] }: Properties): Properties[] =>
  Policies.flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement);

export const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/**
 * Resolves `Ref`, `Fn::GetAtt` and `Fn::Join` for a fictional account. `<id>` stands for a value that only AWS knows.
 */
const joined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(joined);
  if (typeof value !== 'object' || value === null) return value;
  const [[key, inner] = ['', undefined], ...more] = Object.entries(value);
  if (more.length === 0 && key === 'Ref') return pseudo[inner] ?? `<${inner}>`;
  if (more.length === 0 && key === 'Fn::GetAtt') return `<${inner.join('.')}>`;
  if (more.length === 0 && key === 'Fn::Join') return inner[1].map(joined).join(inner[0]);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, joined(each)]));
};

const pseudo: Record<string, string> = {
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};
