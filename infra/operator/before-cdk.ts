import { environmentOf, environments } from '../environments.ts';
import { awsCli } from './aws-cli.ts';
import { refuseRollBackOf } from './roll-out.ts';

/*
 * The CDK runs this file before its app (cdk.json). It ends with 1 if the data of the environment have a format that this
 * release does not know. The app itself refuses an unknown environment. `-c assets=none` deploys no functions.
 */
const { environment = 'dev', assets } = JSON.parse(process.env.CDK_CONTEXT_JSON ?? '{}');

if (assets !== 'none' && Object.hasOwn(environments, environment)) {
  try {
    const why = await refuseRollBackOf(environmentOf(environment), process.env.CDK_DEFAULT_ACCOUNT, awsCli);
    if (why)
      console.error(`Could not look at the format of the data: ${why}. Only npm run deploy refuses a roll back now.`);
  } catch (error) {
    console.error((error as Error).message); // the CDK reads stdout
    process.exitCode = 1;
  }
}
