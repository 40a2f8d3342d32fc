import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { accountOf } from './node-function.ts';

/** The bucket of reports. An object is gone when its check is. */
export class ReportBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      bucketName: reportBucketName(this, environment),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // A page that may read the API follows its redirect to here. A browser then names no origin ("null") and sends no
      // key: who reads is told by the URL's signature alone.
      ...(environment.corsOrigins.length > 0 && {
        cors: [{ allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'] }],
      }),
      lifecycleRules: [
        {
          id: 'reports-end-with-their-checks',
          expiration: Duration.days(environment.retentionDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      // A bucket that holds reports can not be deleted: emptying it is an operator's own act (infra/DEPLOY.md).
      removalPolicy: environment.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Only two functions can read it, and each request for a report is in the access log of the API.',
    });
  }
}

export const reportBucketName = (scope: Construct, { names }: Environment): string =>
  names.reportBucketIn(accountOf(scope));
