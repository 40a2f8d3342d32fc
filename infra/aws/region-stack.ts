import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { type AuditRegion, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { AlarmTopic } from './alarm.ts';
import { AuditWorker } from './audit-worker.ts';

/**
 * The stack of one region: its worker, its alarms and their topic. It refers to the home region by name only. It may be
 * deleted, because the sweeper can resend all its jobs from the table.
 */
export class RegionStack extends Stack {
  constructor(app: App, environment: Environment, region: AuditRegion) {
    const { names, account } = environment;
    super(app, names.regionStack(region), {
      description: `Page audit service, ${environment.name}: audits of ${region}`,
      env: { ...(account && { account }), region: regions[region] },
    });
    new AlarmTopic(this, environment);
    const { runAudit } = new AuditWorker(this, 'Worker', environment, region);
    new CfnOutput(this, 'AuditFunction', { value: runAudit.functionName });
  }
}
