import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  AdjustmentType,
  AutoScalingGroup,
  OnDemandAllocationStrategy,
  SpotAllocationStrategy,
} from 'aws-cdk-lib/aws-autoscaling';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceType,
  LaunchTemplate,
  MachineImage,
  SecurityGroup,
  SubnetType,
  UserData,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { InstanceProfile, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import type { Environment } from '../environments.ts';
import { workerSettings } from '../settings.ts';
import { auditRights, consumeRight, right, rightsOf } from './rights.ts';
import { variablesOf } from './variables.ts';
import { workerMetrics } from './worker-metrics.ts';

type Props = { environment: Environment; region: Region; queue: Queue; workers: NonNullable<Environment['workers']> };

/**
 * Instances that audit the jobs of a region beside Lambda. Each runs the image of infra/container. The age of the oldest job
 * sets the number of instances. The instances have the rights of `run-audit`, and may pull the image.
 */
export class Workers extends Construct {
  constructor(scope: Construct, id: string, { environment, region, queue, workers }: Props) {
    super(scope, id);
    const vpc = new Vpc(this, 'Network', {
      maxAzs: 2, // CloudFormation knows no more in a template without an account
      natGateways: 0, // a gateway would cost more than an instance
      subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: true }],
      restrictDefaultSecurityGroup: false, // it would need a function of the CDK, and no instance uses it
    });
    const securityGroup = new SecurityGroup(this, 'Closed', { vpc, description: 'Nobody reaches a worker.' });
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: environment.names.workerLogs(region),
      retention: environment.logDays,
    });
    const image = new DockerImageAsset(this, 'Image', {
      directory: fileURLToPath(new URL('../..', import.meta.url)),
      file: 'infra/container/Dockerfile',
      platform: Platform.LINUX_AMD64,
    });
    const group = new AutoScalingGroup(this, 'Group', {
      vpc,
      minCapacity: 1,
      maxCapacity: workers.instances,
      mixedInstancesPolicy: {
        launchTemplate: this.#template(environment, { queue, securityGroup, logGroup, image }),
        instancesDistribution: {
          onDemandBaseCapacity: 0,
          onDemandPercentageAboveBaseCapacity: workers.spot ? 0 : 100,
          onDemandAllocationStrategy: OnDemandAllocationStrategy.LOWEST_PRICE,
          spotAllocationStrategy: SpotAllocationStrategy.PRICE_CAPACITY_OPTIMIZED,
        },
        launchTemplateOverrides: workerSettings.instanceTypes.map((name) => ({
          instanceType: new InstanceType(name),
        })),
      },
    });
    const { addAtSeconds, addManyAtSeconds } = workerSettings;
    group.scaleOnMetric('Age', {
      metric: workerMetrics(environment, region)
        .oldestSeconds()
        .with({ period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
      adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
      scalingSteps: [
        { upper: 1, change: -1 },
        { lower: addAtSeconds, change: 1 },
        { lower: addManyAtSeconds, change: 4 },
      ],
      evaluationPeriods: 2,
      cooldown: Duration.minutes(5), // an instance starts within three
    });
    acknowledge(this);
  }

  #template(
    environment: Environment,
    parts: { queue: Queue; securityGroup: SecurityGroup; logGroup: LogGroup; image: DockerImageAsset },
  ): LaunchTemplate {
    const { queue, securityGroup, logGroup, image } = parts;
    const role = this.#role(environment, queue, logGroup, image);
    return new LaunchTemplate(this, 'Template', {
      machineImage: MachineImage.latestAmazonLinux2023(),
      instanceType: new InstanceType(workerSettings.instanceTypes[0]),
      securityGroup,
      instanceProfile: new InstanceProfile(this, 'Profile', { role }),
      userData: startScript(this, environment, { queue, logGroup, image }),
      requireImdsv2: true,
      httpPutResponseHopLimit: 1,
      detailedMonitoring: false, // CloudWatch bills it, and the queue says what to do
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(workerSettings.diskGb, {
            encrypted: true,
            volumeType: EbsDeviceVolumeType.GP3,
          }),
        },
      ],
    });
  }

  #role(environment: Environment, queue: Queue, logGroup: LogGroup, { repository }: DockerImageAsset): Role {
    const statements = [
      right(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
      ...rightsOf(this, environment, functionRows['run-audit']),
      ...auditRights(this, environment),
      consumeRight(queue),
      right(
        ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
        repository.repositoryArn,
      ),
      right(['ecr:GetAuthorizationToken'], '*'),
    ];
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      inlinePolicies: { rights: new PolicyDocument({ statements }) },
    });
  }
}

/** Returns the script with which an instance starts its worker, with the options of infra/container/run-options. */
const startScript = (
  scope: Construct,
  environment: Environment,
  { queue, logGroup, image }: { queue: Queue; logGroup: LogGroup; image: DockerImageAsset },
): UserData => {
  const script = UserData.forLinux();
  const { region } = Stack.of(scope);
  const registry = `${Stack.of(scope).account}.dkr.ecr.${region}.${Stack.of(scope).urlSuffix}`;
  const variables = Object.entries({
    QUEUE_URL: queue.queueUrl,
    AWS_REGION: region,
    ...variablesOf(scope, environment, functionRows['run-audit']),
    POWERTOOLS_SERVICE_NAME: environment.names.service, // its metrics are those of the environment
    STOP_SECONDS: String(workerSettings.stopSeconds),
  });
  script.addCommands(
    'set -eu',
    'dnf install -y docker iptables-nft',
    // Audits run as other users. Only root, which is the worker, may ask for the credentials of the instance.
    'iptables -A OUTPUT -d 169.254.0.0/16 -m owner ! --uid-owner 0 -j REJECT',
    'systemctl enable --now docker',
    `aws ecr get-login-password --region ${region} | docker login --username AWS --password-stdin ${registry}`,
    "cat > /etc/page-audit.env <<'END'",
    ...variables.map(([name, value]) => `${name}=${value}`),
    'END',
    [
      'docker run --detach --restart always --network host --env-file /etc/page-audit.env',
      ...readFileSync(new URL('../container/run-options', import.meta.url), 'utf8')
        .trim()
        .split('\n'),
      `--stop-timeout ${workerSettings.stopSeconds + 25}`,
      `--log-driver awslogs --log-opt awslogs-region=${region} --log-opt awslogs-group=${logGroup.logGroupName}`,
      `${image.imageUri} node --max-semi-space-size=4 infra/local/worker-main.ts`,
    ].join(' '),
  );
  return script;
};

/** Acknowledges the rules that these instances violate, each with its reason. */
const acknowledge = (workers: Workers): void => {
  const reasons = {
    'AwsSolutions-VPC7': 'No packet comes in, and flow logs of audits would cost more than the audits.',
    'AwsSolutions-AS3': 'Instances come and go by the age of the queue. The alarms are on runs that wait.',
    'AwsSolutions-EC28': 'The number of instances follows the queue, so metrics of each minute would only cost money.',
    'AwsSolutions-IAM5[Resource::*]': 'AWS can not scope ecr:GetAuthorizationToken.',
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(workers).acknowledge({ id, reason });
};
