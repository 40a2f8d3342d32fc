import { App, Tags } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import type { Environment } from '../environments.ts';
import { EdgeStack } from './edge-stack.ts';
import { HomeStack } from './home-stack.ts';
import { RegionStack } from './region-stack.ts';

/** Creates an app with the feature flags that this CDK release recommends. Snapshots show the changes of an upgrade. */
export const newApp = (context: Record<string, unknown> = {}): App =>
  new App({
    postCliContext: flags,
    context: { 'aws:cdk:disable-asset-staging': true, ...context }, // otherwise each synth copies 200 MB
    analyticsReporting: false,
  });

/** Creates the stacks of an environment: one per region, and the home stack, which the CDK deploys after them. */
export const stacksOf = (app: App, environment: Environment) => {
  const regionStacks = environment.regions.map((region) => new RegionStack(app, environment, region));
  const home = new HomeStack(app, environment);
  for (const stack of regionStacks) home.addStackDependency(stack); // the API needs the queues
  const { edge } = environment;
  const edgeStack = edge && new EdgeStack(app, environment, edge);
  edgeStack?.addStackDependency(home); // CloudFront sends requests to the domain of its API
  for (const stack of [...regionStacks, home, ...(edgeStack ? [edgeStack] : [])]) {
    const tags = { service: 'page-audit', environment: environment.name };
    // CloudFormation refuses tags of dashboards in some AWS regions.
    for (const [name, value] of Object.entries(tags))
      Tags.of(stack).add(name, value, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  }
  return { home, regionStacks, edgeStack };
};
