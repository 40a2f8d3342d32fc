import { startAws } from '../../infra/local/aws.ts';
import { importApi, startGateway } from '../../infra/local/gateway.ts';
import { allRegions } from '../../shared/regions.ts';

// Runs the API of the local service on a data folder, without auditors. Prints the lines for the operator and its URL.
const dataDir = process.argv[2] as string;
const start = async () => {
  const aws = await startAws({ dataDir, regions: allRegions, print: (line) => console.log(line) });
  Object.assign(process.env, aws.env, { AUTH: 'open', POWERTOOLS_METRICS_DISABLED: 'true' });
  const { url } = await startGateway({ port: 0, functions: await importApi() });
  console.log(`API: ${url}`);
};
await start().catch((error: Error) => {
  console.log(error.message);
  process.exit(1);
});
