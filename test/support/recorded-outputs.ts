/** Port of the site in recorded outputs, so that a new recording changes results only. */
export const PORT = '34083';
const SHOP = `http://shop.localhost:${PORT}/`;

/** Commands of the documents whose outputs `npm run record` writes. */
export const outputCommands = {
  simulate: `npx page-audit run ${SHOP} --simulate 3g,slow-phone,region,train=800/200/4`,
  fixes: `npx page-audit fixes ${SHOP}`,
  against: `npx page-audit run ${SHOP}preview --against ${SHOP} --samples 5 --category performance`,
  versions: `npx page-audit versions ${SHOP} --from 12 --to 13 --samples 3`,
  'third-parties': `npx page-audit third-parties ${SHOP} --samples 3`,
} as const;

export const outputFile = (name: string): string => `test/recorded/outputs/${name}.txt`;
