import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { apiProblems } from '../../shared/problems.ts';
import type { Environment } from '../environments.ts';

type Edge = NonNullable<Environment['edge']>;

/**
 * CloudFront before the API, with a rate rule of WAF for each address. AWS has both for CloudFront in us-east-1 only. It
 * refers to the API by the name of its domain only, because no stack can read a value of another region.
 */
export class EdgeStack extends Stack {
  constructor(app: App, environment: Environment, edge: Edge) {
    const { name, names, account, deletionProtection } = environment;
    super(app, names.edgeStack, {
      description: `Page audit service, ${name}: CloudFront and WAF`,
      env: { ...(account && { account }), region: 'us-east-1' },
      terminationProtection: deletionProtection,
    });
    const origin = new HttpOrigin(edge.originDomain, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      readTimeout: Duration.seconds(30), // a wait takes up to 25 s
    });
    const uncached: BehaviorOptions = {
      origin,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY, // a redirect would come after a key was sent in the clear
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER, // API Gateway knows the host of the origin only
      compress: false, // the functions compress, with an entity tag for each form
    };
    const cached: BehaviorOptions = {
      ...uncached,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED, // for as long as the answer says, for each coding
    };
    const distribution = new Distribution(this, 'Distribution', {
      comment: names.service,
      domainNames: [edge.domain],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', edge.certificateArn),
      webAclId: rateRule(this, names.service, edge.requestsPerFiveMinutes).attrArn,
      defaultBehavior: uncached,
      additionalBehaviors: { '/assets/*': cached, '/docs/*': cached }, // their addresses contain a version
    });
    new CfnOutput(this, 'EdgeTarget', { value: distribution.distributionDomainName }); // of the DNS record of the domain
  }
}

/** Refuses an address that has sent too many requests within five minutes, with a problem document. */
const rateRule = (scope: Stack, service: string, limit: number): CfnWebACL => {
  const visibilityConfig = (metricName: string) => ({
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
    metricName: `${service}-${metricName}`,
  });
  return new CfnWebACL(scope, 'WebAcl', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: visibilityConfig('requests'),
    customResponseBodies: { flood: { contentType: 'APPLICATION_JSON', content: JSON.stringify(flood) } },
    rules: [
      {
        name: 'flood',
        priority: 0,
        statement: { rateBasedStatement: { limit, aggregateKeyType: 'IP', evaluationWindowSec: 300 } },
        action: {
          block: {
            customResponse: {
              responseCode: flood.status,
              customResponseBodyKey: 'flood',
              responseHeaders: [{ name: 'retry-after', value: '300' }],
            },
          },
        },
        visibilityConfig: visibilityConfig('floods'),
      },
    ],
  });
};

const flood = {
  type: 'urn:page-audit:problem:too-many-requests',
  title: apiProblems['too-many-requests'].title,
  status: apiProblems['too-many-requests'].status,
  detail: 'This address has sent too many requests within five minutes. Retry in five minutes.',
  code: 'too-many-requests',
};
