import { Stack, Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ApiFunction } from '../../shared/service/routes.ts';
import type { Environment } from '../environments.ts';

const LIVE = 'live';

/**
 * The version of each API function that serves requests: the alias `live`. With `shiftMinutes`, CodeDeploy gives a new
 * version a tenth of the requests for this time, then all of them.
 */
export class LiveVersions extends Construct {
  readonly aliases: Readonly<Record<ApiFunction, Alias>>;
  readonly #functions: Readonly<Record<ApiFunction, LambdaFunction>>;
  readonly #environment: Environment;

  constructor(
    scope: Construct,
    id: string,
    environment: Environment,
    functions: Readonly<Record<ApiFunction, LambdaFunction>>,
  ) {
    super(scope, id);
    this.#environment = environment;
    this.#functions = functions;
    this.aliases = Object.fromEntries(
      Object.entries(functions).map(([file, { currentVersion }]) => [
        file,
        new Alias(this, file, { aliasName: LIVE, version: currentVersion }),
      ]),
    ) as Record<ApiFunction, Alias>;
  }

  /** Lets each new version begin with a tenth of the requests. CodeDeploy returns to the old one if the alarm fires. */
  shiftUnless(alarm: Alarm): void {
    const { shiftMinutes, names } = this.#environment;
    if (!shiftMinutes) return;
    const application = new LambdaApplication(this, 'Application', { applicationName: names.service });
    const role = this.#role();
    for (const [file, alias] of Object.entries(this.aliases)) {
      new LambdaDeploymentGroup(this, `${file}-shift`, {
        application,
        deploymentGroupName: file,
        alias,
        deploymentConfig: configs[shiftMinutes],
        alarms: [alarm],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        role: role.withoutPolicyUpdates(), // the managed policy of the CDK covers each function of the account
      });
    }
  }

  /** Returns the role of CodeDeploy. It may move the aliases `live` and read alarms. */
  #role(): Role {
    const arns = Object.keys(this.#functions).map((file) =>
      Stack.of(this).formatArn({
        service: 'lambda',
        resource: `function:${this.#environment.names.homeFunction(file)}`,
      }),
    );
    const statements = [
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
        resources: arns.flatMap((arn) => [arn, `${arn}:${LIVE}`]),
      }),
      new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
    ];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { rights: new PolicyDocument({ statements }) },
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'CloudWatch answers DescribeAlarms in full only for all alarms. A test checks that nothing else has this.',
    });
    return role;
  }
}

const configs: Record<NonNullable<Environment['shiftMinutes']>, ILambdaDeploymentConfig> = {
  5: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  10: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
  15: LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
};
