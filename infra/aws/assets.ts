import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** The built code of a function of `functions/`: the folder that `npm run build` made of it. */
export const assetOf = (name: string): Code => {
  const folder = fileURLToPath(new URL(`../../dist/functions/${name}`, import.meta.url));
  if (!existsSync(folder))
    throw new Error(`${folder} is not there: the functions are not built. Run \`npm run build\`.`);
  return Code.fromAsset(folder);
};
