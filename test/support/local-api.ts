import { startFunctions } from './gateway.ts';
import { startEngines } from './world.ts';

// Runs the API of the local service on a data folder, without auditors. Prints the lines for the operator and its URL.
const dataDir = process.argv[2] as string;
const start = async () => {
  await startEngines({}, { dataDir, print: (line) => console.log(line) });
  const { url } = await startFunctions();
  console.log(`API: ${url}`);
};
await start().catch((error: Error) => {
  console.log(error.message);
  process.exit(1);
});
