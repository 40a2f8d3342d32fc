import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** Returns the code of a function as `npm run build` wrote it. */
export const assetOf = (name: string): Code => {
  const folder = fileURLToPath(new URL(`../../dist/functions/${name}`, import.meta.url));
  if (!existsSync(folder))
    throw new Error(`${folder} does not exist, because the functions are not built. Run \`npm run build\`.`);
  return Code.fromAsset(folder);
};
