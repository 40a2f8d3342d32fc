import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { type Region, regions } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { AlarmTopic } from './alarm.ts';
import { AuditWorker } from './audit-worker.ts';

/**
 * One region of the API: its worker, its alarms and their topic. It knows the home region by names alone. It holds nothing that
 * the table can't make again, so it may be deleted: a first deploy that failed has to be.
 */
export class RegionStack extends Stack {
  constructor(app: App, environment: Environment, region: Region) {
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
