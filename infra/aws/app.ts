import { environmentOf, InvalidSetting } from '../environments.ts';
import { newApp, stacksOf } from './stacks.ts';

/*
 * The CDK app: `npx cdk synth`, `npx cdk deploy --all -c environment=prod`. Settings, from the context (-c) or the
 * environment: environment, account (CDK_DEFAULT_ACCOUNT), alarmEmail (ALARM_EMAIL). `-c assets=none` builds no functions.
 */
const app = newApp();
const setting = (name: string, variable?: string): string | undefined =>
  app.node.tryGetContext(name) ?? (variable && process.env[variable]);

try {
  const environment = environmentOf(setting('environment') ?? 'dev', {
    account: setting('account', 'CDK_DEFAULT_ACCOUNT')?.toString(),
    alarmEmail: setting('alarmEmail', 'ALARM_EMAIL'),
  });
  if (setting('assets') !== 'none') {
    const { build } = await import('../build.ts'); // what is deployed is never older than its source
    await build({ print: console.error }); // the CDK reads the other output
  }
  stacksOf(app, environment);
} catch (error) {
  if (!(error instanceof InvalidSetting)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
