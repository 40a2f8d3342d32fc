import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Environment } from '../environments.ts';
import { AlarmTopic } from './alarm.ts';
import { Api } from './api.ts';
import { budget } from './budget.ts';
import { Canary } from './canary.ts';
import { CheckTable } from './check-table.ts';
import { dashboard } from './dashboard.ts';
import { Deliveries } from './deliveries.ts';
import { ReportBucket } from './report-bucket.ts';
import { Sweeper } from './sweeper.ts';

/** The stack of the home region: table, reports, API, sweeper and dashboard. It refers to other stacks by name only. */
export class HomeStack extends Stack {
  constructor(app: App, environment: Environment) {
    const { name, names, account, homeRegion, deletionProtection } = environment;
    super(app, names.homeStack, {
      description: `Page audit service, ${name}: table, reports, API, sweeper`,
      env: { ...(account && { account }), region: homeRegion },
      terminationProtection: deletionProtection,
    });
    new AlarmTopic(this, environment);
    const checks = new CheckTable(this, 'Checks', environment);
    const reports = new ReportBucket(this, 'Reports', environment);
    const api = new Api(this, 'Api', environment);
    const deliveries = new Deliveries(this, 'Deliveries', environment);
    const sweeper = new Sweeper(this, 'Sweeper', environment);
    const canary = new Canary(this, 'Canary', environment, api);
    for (const user of [api, sweeper, deliveries, canary]) user.node.addDependency(checks, reports); // they refer to both by name
    budget(this, environment);
    if (environment.dashboard) dashboard(this, environment, { api, sweeper, deliveries, canary, checks });
    new CfnOutput(this, 'ApiUrl', { value: api.url });
    new CfnOutput(this, 'SweepFunction', { value: sweeper.sweep.functionName });
  }
}
