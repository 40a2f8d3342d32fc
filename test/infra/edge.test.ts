import { expect, test } from 'vitest';
import type { EdgeStack } from '../../infra/aws/edge-stack.ts';
import { newApp, stacksOf } from '../../infra/aws/stacks.ts';
import { environmentOf, environments } from '../../infra/environments.ts';
import { functionsOf, resourcesOf } from './support.ts';

const edge = {
  domain: 'audit.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/a',
  originDomain: 'origin.example.com',
  originCertificateArn: 'arn:aws:acm:us-west-2:123456789012:certificate/b',
  requestsPerFiveMinutes: 2000,
};
const stacksWith = (more: object) =>
  stacksOf(newApp({ assets: 'none' }), environmentOf('dev', {}, { dev: { ...environments.dev, ...more } }));
const { home, edgeStack } = stacksWith({ edge });
const cloud = edgeStack as EdgeStack;
resourcesOf(cloud, 'AWS::CloudFront::Distribution'); // synthesizes outside the time limit of a test

test('CloudFront caches versioned files only, and sends everything else to the domain of the API', () => {
  const [{ DistributionConfig: config } = {} as never] = resourcesOf(cloud, 'AWS::CloudFront::Distribution');
  expect(cloud.region).toBe('us-east-1');
  expect(config.Aliases).toEqual(['audit.example.com']);
  expect(config.Origins).toMatchObject([
    { DomainName: 'origin.example.com', CustomOriginConfig: { OriginReadTimeout: 30 } },
  ]);
  const caching = '658327ea-f89d-4fab-a63d-7e88639e58f6'; // ids of AWS's policies
  const noCaching = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
  expect(config.DefaultCacheBehavior).toMatchObject({ CachePolicyId: noCaching, ViewerProtocolPolicy: 'https-only' });
  expect(config.CacheBehaviors.map((each: Record<string, string>) => [each.PathPattern, each.CachePolicyId])).toEqual([
    ['/assets/*', caching],
    ['/docs/*', caching],
  ]);
  expect(config.DefaultCacheBehavior.AllowedMethods).toContain('DELETE');
});

test('WAF refuses an address that floods with a problem document that says when to retry', () => {
  const [acl = {} as never] = resourcesOf(cloud, 'AWS::WAFv2::WebACL');
  expect(acl.Rules).toMatchObject([
    {
      Statement: { RateBasedStatement: { Limit: 2000, AggregateKeyType: 'IP' } },
      Action: {
        Block: { CustomResponse: { ResponseCode: 429, ResponseHeaders: [{ Name: 'retry-after', Value: '300' }] } },
      },
    },
  ]);
  expect(JSON.parse(acl.CustomResponseBodies.flood.Content)).toMatchObject({ status: 429, code: 'too-many-requests' });
});

test('behind the edge the API has no address of its own, and links and the canary use the public one', () => {
  const [api] = resourcesOf(home, 'AWS::ApiGatewayV2::Api');
  expect(api?.DisableExecuteApiEndpoint).toBe(true);
  expect(resourcesOf(home, 'AWS::ApiGatewayV2::DomainName')).toMatchObject([{ DomainName: 'origin.example.com' }]);
  expect(functionsOf(home).links?.Environment.Variables.PUBLIC_URL).toBe('https://audit.example.com');
});

test('an environment without an edge has neither CloudFront nor another domain', () => {
  const plain = stacksWith({});
  expect(plain.edgeStack).toBeUndefined();
  expect(resourcesOf(plain.home, 'AWS::ApiGatewayV2::DomainName')).toEqual([]);
  expect(functionsOf(plain.home).links?.Environment.Variables).not.toHaveProperty('PUBLIC_URL');
  expect(() => stacksWith({ edge: { ...edge, certificateArn: edge.originCertificateArn } })).toThrow('certificateArn');
});
