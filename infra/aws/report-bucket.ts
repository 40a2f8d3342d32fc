import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { reportsOf } from '../../shared/service/report-folders.ts';
import { secretFolders } from '../../shared/service/secret-folders.ts';
import type { Environment } from '../environments.ts';
import { reportLives } from '../settings.ts';
import { accountOf } from './account.ts';

/**
 * The bucket of reports and of the secrets of open checks. The key of a report has the life of its check in days, and a rule
 * deletes it after that time.
 */
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
      // The web page, and a large HTML report in its sandbox, read from here without a key. The signed URL is the only
      // authorisation. The sandbox and a redirect from another origin make the browser send `Origin: null`.
      cors: [{ allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'] }],
      lifecycleRules: [
        { id: 'no-unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ...reportLives.map((days) => ({
          id: `reports-of-${days}-days`,
          prefix: reportsOf(days),
          expiration: Duration.days(days),
        })),
        // The end of a check deletes its secrets. This rule deletes those of creates that failed.
        ...Object.values(secretFolders).flatMap(({ prefix, days }) =>
          days === undefined ? [] : { id: prefix.slice(0, -1), prefix, expiration: Duration.days(days) },
        ),
      ],
      // CloudFormation can't delete a bucket with reports. An operator has to empty it first (infra/DEPLOY.md).
      removalPolicy: environment.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Few functions can read the bucket, and the access log of the API lists each request for a report.',
    });
  }
}

export const reportBucketName = (scope: Construct, { names }: Environment): string =>
  names.reportBucketIn(accountOf(scope));
