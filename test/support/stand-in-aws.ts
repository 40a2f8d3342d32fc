import type { Environment } from '../../infra/environments.ts';
import { type Aws, AwsError, type Shape } from '../../infra/operator/aws-cli.ts';
import { type Placed, writersOf } from '../../infra/operator/pausing/writers.ts';

/**
 * Stands for the parts of AWS that the commands pause, resume and restore change. Like AWS, it keeps drift: a deploy of an
 * unchanged template changes nothing. `fails` makes one call fail, as a lost connection does.
 */
export const standInAws = (environment: Environment, reservedOf: (name: string) => number | undefined) => {
  const { called, fed, queues } = writersOf(environment);
  const place = ({ name, region }: Placed) => `${region}/${name}`;
  const state = {
    reserved: new Map(called.map((each) => [place(each), reservedOf(each.name)])),
    mappings: new Map(fed.map((each) => [place(each), true])),
    policies: new Map(queues.map((each) => [place(each), JSON.stringify({ Version: '2012-10-17', Statement: [tls] })])),
    inFlight: new Map<string, number>(),
    parameters: new Map<string, string>(),
    tables: new Map<string, Shape>(),
    backups: new Map<string, Shape>(),
  };
  const calls: string[] = [];
  let failing: { operation: string; after: number } | undefined;

  const aws: Aws = async (operation, region, input = {}) => {
    calls.push(operation);
    if (failing?.operation === operation && failing.after-- === 0)
      throw new AwsError('AwsError', 'The connection broke.');
    const handle = operations[operation];
    if (!handle) throw new Error(`The stand-in has no operation ${operation}.`);
    return structuredClone((await handle(input, region)) ?? {});
  };
  const known = <V>(map: Map<string, V>, key: string, code: string): V => {
    if (!map.has(key)) throw new AwsError(code, `There is no ${key}.`);
    return map.get(key) as V;
  };
  const table = (name: string) => known(state.tables, name, 'ResourceNotFoundException');
  const queueOf = (url: string) => url.slice('https://'.length);

  const operations: Record<string, (input: Shape, region: string) => Shape | undefined> = {
    'ssm get-parameter': ({ Name }) => ({ Parameter: { Value: known(state.parameters, Name, 'ParameterNotFound') } }),
    'ssm put-parameter': ({ Name, Value, Overwrite }) => {
      if (!Overwrite && state.parameters.has(Name)) throw new AwsError('ParameterAlreadyExists', Name);
      if (Value.length > 4096)
        throw new AwsError('ValidationException', 'Standard tier parameters support 4096 characters.');
      state.parameters.set(Name, Value);
      return {};
    },
    'ssm delete-parameter': ({ Name }) => {
      known(state.parameters, Name, 'ParameterNotFound');
      state.parameters.delete(Name);
      return {};
    },
    'lambda get-function-concurrency': ({ FunctionName }, region) => {
      const reserved = known(state.reserved, `${region}/${FunctionName}`, 'ResourceNotFoundException');
      return reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved };
    },
    'lambda put-function-concurrency': ({ FunctionName, ReservedConcurrentExecutions }, region) => {
      state.reserved.set(`${region}/${FunctionName}`, ReservedConcurrentExecutions);
      return {};
    },
    'lambda delete-function-concurrency': ({ FunctionName }, region) => {
      state.reserved.set(`${region}/${FunctionName}`, undefined);
      return {};
    },
    'lambda list-event-source-mappings': ({ FunctionName }, region) => ({
      EventSourceMappings: [
        { UUID: FunctionName, State: state.mappings.get(`${region}/${FunctionName}`) ? 'Enabled' : 'Disabled' },
      ],
    }),
    'lambda update-event-source-mapping': ({ UUID, Enabled }, region) => {
      state.mappings.set(`${region}/${UUID}`, Enabled);
      return { UUID };
    },
    'sqs get-queue-url': ({ QueueName }, region) => ({ QueueUrl: `https://${region}/${QueueName}` }),
    'sqs get-queue-attributes': ({ QueueUrl }) => ({
      Attributes: {
        QueueArn: `arn:${queueOf(QueueUrl)}`,
        Policy: known(state.policies, queueOf(QueueUrl), 'QueueDoesNotExist'),
        ApproximateNumberOfMessagesNotVisible: String(state.inFlight.get(queueOf(QueueUrl)) ?? 0),
      },
    }),
    'sqs set-queue-attributes': ({ QueueUrl, Attributes }) => {
      state.policies.set(queueOf(QueueUrl), Attributes.Policy);
      return {};
    },
    'dynamodb describe-table': ({ TableName }) => {
      const found = table(TableName);
      const { TableStatus, ...rest } = found;
      if (TableStatus !== 'ACTIVE' && found.polls-- <= 0) {
        if (TableStatus === 'DELETING') state.tables.delete(TableName);
        else found.TableStatus = 'ACTIVE';
      }
      return { Table: { ...rest, TableName, TableStatus } };
    },
    'dynamodb scan': ({ TableName }) => ({ Count: table(TableName).items }),
    'dynamodb restore-table-to-point-in-time': ({ SourceTableName, TargetTableName, RestoreDateTime }) => {
      if (state.tables.has(TargetTableName)) throw new AwsError('TableAlreadyExistsException', TargetTableName);
      const items = table(SourceTableName).itemsAt[RestoreDateTime];
      state.tables.set(TargetTableName, { ...fresh(), items });
      return {};
    },
    'dynamodb list-backups': ({ TableName }) => ({
      BackupSummaries: [...state.backups.values()].filter((each) => each.TableName === TableName),
    }),
    'dynamodb create-backup': ({ TableName, BackupName }) => {
      const { items, TableId } = table(TableName);
      const BackupArn = `backup-${state.backups.size}`;
      state.backups.set(BackupArn, { BackupArn, BackupName, TableName, TableId, items });
      return { BackupDetails: { BackupArn } };
    },
    'dynamodb describe-backup': () => ({ BackupDescription: { BackupDetails: { BackupStatus: 'AVAILABLE' } } }),
    'dynamodb delete-table': ({ TableName }) => {
      const found = table(TableName);
      if (found.isProtected) throw new AwsError('ValidationException', `${TableName} is protected.`);
      Object.assign(found, { TableStatus: 'DELETING', polls: 2 });
      return {};
    },
    'dynamodb restore-table-from-backup': ({ TargetTableName, BackupArn }) => {
      if (state.tables.has(TargetTableName)) throw new AwsError('TableAlreadyExistsException', TargetTableName);
      const { items } = known(state.backups, BackupArn, 'BackupNotFoundException');
      state.tables.set(TargetTableName, { ...fresh(), items, RestoreSummary: { SourceBackupArn: BackupArn } });
      return {};
    },
    'dynamodb update-table': ({ TableName, DeletionProtectionEnabled }) => {
      table(TableName).isProtected = DeletionProtectionEnabled;
      return {};
    },
    'dynamodb describe-time-to-live': ({ TableName }) => ({
      TimeToLiveDescription: { TimeToLiveStatus: table(TableName).expires ? 'ENABLED' : 'DISABLED' },
    }),
    'dynamodb update-time-to-live': ({ TableName, TimeToLiveSpecification: { AttributeName } }) => {
      table(TableName).expires = AttributeName;
      return {};
    },
    'dynamodb update-continuous-backups': ({ TableName, PointInTimeRecoverySpecification }) => {
      table(TableName).recovery = PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled;
      return {};
    },
  };
  return {
    aws,
    calls,
    ...state,
    state: () => ({
      reserved: Object.fromEntries(state.reserved),
      mappings: Object.fromEntries(state.mappings),
      policies: Object.fromEntries(state.policies),
    }),
    fails: (operation: string, after = 0) => {
      failing = { operation, after };
    },
  };
};

const tls = {
  Effect: 'Deny',
  Principal: '*',
  Action: 'sqs:*',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};
let tables = 0;
/** A table that a restore makes: without expiry, recovery and protection, and not ready at once. */
const fresh = () => ({ TableId: `table-${tables++}`, TableStatus: 'CREATING', polls: 2 });
