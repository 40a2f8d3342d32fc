import { environmentOf, InvalidSettingError } from '../environments.ts';
import { newApp, stacksOf } from './stacks.ts';

/*
 * The CDK app of `npx cdk synth` and `npx cdk deploy --all -c environment=prod`. It reads these settings from the context
 * (-c) or the environment: environment, account (CDK_DEFAULT_ACCOUNT) and alarmEmail (ALARM_EMAIL). `-c assets=none`
 * builds no functions.
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
    const { build } = await import('../bundle/main.ts'); // a deploy always contains the current source
    await build({ print: console.error }); // the CDK reads stdout
  }
  stacksOf(app, environment);
} catch (error) {
  if (!(error instanceof InvalidSettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
