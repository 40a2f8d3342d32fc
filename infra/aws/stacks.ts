import { App, Tags } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import type { Environment } from '../environments.ts';
import { HomeStack } from './home-stack.ts';
import { RegionStack } from './region-stack.ts';

/** An app that behaves as CDK's present release recommends; what an upgrade changes is seen in the snapshots. */
export const newApp = (context: Record<string, unknown> = {}): App =>
  new App({
    postCliContext: flags,
    context: { 'aws:cdk:disable-asset-staging': true, ...context }, // no copy of 200 MB at each synth
    analyticsReporting: false,
  });

/** The stacks of one environment: one for each of its regions, and the home stack, which is deployed after them. */
export const stacksOf = (app: App, environment: Environment) => {
  const regionStacks = environment.regions.map((region) => new RegionStack(app, environment, region));
  const home = new HomeStack(app, environment);
  for (const stack of regionStacks) home.addStackDependency(stack); // an API that takes checks has whom to send them to
  for (const stack of [...regionStacks, home]) {
    Tags.of(stack).add('service', 'page-audit');
    Tags.of(stack).add('environment', environment.name);
  }
  return { home, regionStacks };
};
