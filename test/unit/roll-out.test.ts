import { describe, expect, test } from 'vitest';
import { formats } from '../../functions/lib/store/format.ts';
import type { Environment } from '../../infra/environments.ts';
import { namesOf } from '../../infra/names.ts';
import type { Aws } from '../../infra/operator/aws-cli.ts';
import { refuseRollBackOf, rollOut } from '../../infra/operator/roll-out.ts';
import type { AuditRegion } from '../../shared/regions.ts';

const regions: AuditRegion[] = ['us-west1', 'us-east4', 'europe-north1'];
const home = 'page-audit-prod-home';

const anEdge = { domain: 'audit.example.com' } as Environment['edge'];

/** Rolls out a release. The given deploys and smoke tests fail. */
const release = async ({ isLive = true, deploysFail = '', smokeFails = '', edge = false } = {}) => {
  const steps: string[] = [];
  const step = async (name: string, fails: boolean) => {
    steps.push(name);
    return !fails;
  };
  const outcomes = await rollOut(
    { regions, names: namesOf('prod'), edge: edge ? anEdge : undefined },
    {
      isLive,
      deploy: (stack) => step(stack.replace('page-audit-prod-', ''), deploysFail !== '' && stack.endsWith(deploysFail)),
      raiseFormat: () => step('raise the format', false),
      smoke: (audited) => step(`smoke ${audited.join('+')}`, audited.join('+') === smokeFails),
    },
  );
  return { steps, outcomes: Object.fromEntries([...outcomes].map(([stack, each]) => [stack.slice(16), each])) };
};

test('a release goes region by region, with an audit between, and to the home stack last', async () => {
  expect((await release()).steps).toEqual([
    ...regions.flatMap((region) => [region, `smoke ${region}`]),
    'home',
    `smoke ${regions.join('+')}`,
    'raise the format',
  ]);
});

test.each([{ deploysFail: 'us-east4' }, { smokeFails: regions.join('+') }, { deploysFail: 'home' }])(
  'the format of the data is not raised while a part may have the old release: %j',
  async (fails) => {
    expect((await release(fails)).steps).not.toContain('raise the format');
  },
);

test('a region that fails to deploy stops nothing else', async () => {
  const { steps, outcomes } = await release({ deploysFail: 'us-east4' });
  expect(outcomes).toEqual({
    'us-west1': 'deployed',
    'us-east4': 'deploy failed',
    'europe-north1': 'deployed',
    home: 'deployed',
  });
  expect(steps.at(-1)).toBe('smoke us-west1+europe-north1');
});

test('a release that fails an audit goes no further', async () => {
  const { steps, outcomes } = await release({ smokeFails: 'us-east4' });
  expect(steps).toEqual(['us-west1', 'smoke us-west1', 'us-east4', 'smoke us-east4']);
  expect(outcomes).toEqual({
    'us-west1': 'deployed',
    'us-east4': 'smoke test failed',
    'europe-north1': 'not deployed',
    home: 'not deployed',
  });
});

test('the first release is proved when the home stack exists', async () => {
  const { steps, outcomes } = await release({ isLive: false, smokeFails: regions.join('+') });
  expect(steps).toEqual([...regions, 'home', `smoke ${regions.join('+')}`]);
  expect(outcomes[home.slice(16)]).toBe('smoke test failed');
});

test('without a deployed region, the home stack keeps its release', async () => {
  const { steps } = await release({ deploysFail: '1' });
  expect(steps).toContain('us-east4');
  const names = namesOf('prod');
  const none = await rollOut(
    { regions, names, edge: undefined },
    { isLive: true, deploy: async () => false, smoke: async () => true, raiseFormat: async () => {} },
  );
  expect(none.get(names.homeStack)).toBe('not deployed');
});

test('the edge follows the home stack, because CloudFront sends requests to it, and both are proved through it', async () => {
  expect((await release({ edge: true })).steps.slice(-4, -1)).toEqual([
    'home',
    'edge',
    'smoke us-west1+us-east4+europe-north1',
  ]);
  const { steps, outcomes } = await release({ edge: true, deploysFail: 'edge' });
  expect(steps.at(-1)).toBe('edge');
  expect([outcomes.home, outcomes.edge]).toEqual(['deployed', 'deploy failed']);
});

describe('before the CDK reads the app', () => {
  const environment = { homeRegion: 'us-west-2', names: namesOf('prod') };
  const answers = { 'sts get-caller-identity': { Account: '123456789012' } };
  const look = (table: Awaited<ReturnType<Aws>> | Error, account: string | undefined = '123456789012') => {
    const aws: Aws = async (operation, _, input) => {
      if (operation !== 'dynamodb get-item') return answers[operation as keyof typeof answers];
      expect(input).toMatchObject({ TableName: environment.names.table });
      if (table instanceof Error) throw table;
      return table;
    };
    return refuseRollBackOf(environment, account, aws);
  };
  const named = (name: string) => Object.assign(new Error('no right'), { name });

  test('a release that does not know the format of the data is refused', async () => {
    await expect(look({ Item: { format: { N: '99' } } })).rejects.toThrow(
      /The data have format 99, .* Nothing was upl/,
    );
  });

  test.each([{ Item: { format: { N: `${formats.newest}` } } }, {}, named('ResourceNotFoundException')])(
    'a known format, and no table, are fine: %j',
    async (table) => expect(await look(table)).toBeUndefined(),
  );

  test.each([
    [named('AccessDeniedException'), '123456789012', 'no right'],
    [{}, '210987654321', /credentials of 123456789012. Set AWS_PROFILE/],
    [{}, '', /no credentials/],
  ])('it says why it could not look: %s, %s', async (table, account, why) => {
    expect(await look(table, account)).toMatch(why);
  });
});
