import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * Anybody may register the plain name `page-audit` in the public registry. Outside a clone, `npx page-audit` would run that
 * package and pass it PAGE_AUDIT_KEY. So only texts about a clone may have it.
 */

const root = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|ya?ml|json|tsx?|cjs|html)$/.test(file) && !/^(test|package-lock\.json)/.test(file));

/** Pages whose reader has a clone. */
const clonePages = ['README.md', 'clients/README.md', '.github/CONTRIBUTING.md'];
/** `npx --no page-audit` runs what is installed. Scoped names and paths have no blank before the name. */
const plain = /\bnpx (?!--no )(?:-\S+ +)*page-audit\b/;
/** Forms that ask the registry, also in a clone. */
const fromRegistry =
  /\b(?:npx (?:-y|--yes)|npx (?:-p|--package)|npm (?:i|install|exec|init|add)|pnpm (?:dlx|add)|yarn (?:dlx|add)|bunx|bun add)(?: +-\S+)* +page-audit\b|\bnpx +page-audit@|"npx",? *"args": *\[[^\]]*"page-audit"/;

type Section = { heading: string; text: string };
const sectionsOf = (text: string): Section[] =>
  text.split(/^(?=#{1,6} )/m).map((section) => ({ heading: section.split('\n', 1)[0] ?? '', text: section }));
/** Code that its reader copies into a configuration or a pipeline. */
const copied = (text: string): string =>
  [...text.matchAll(/^```(?:json|ya?ml|toml)\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
const codeBlocks = (text: string): string => [...text.matchAll(/^```.*?^```/gms)].join('\n');
const isOutside = ({ heading, text }: Section): boolean => /outside/i.test(heading) || /^Outside a clone/m.test(text);

/** Returns why a text may not be in a file of this name. */
const faultsOf = (file: string, text: string): string[] => {
  const isClonePage = clonePages.includes(file);
  const warnings = text
    .split(/(?<=[.:|])\s/)
    .filter((sentence) => plain.test(sentence) && !/would ask|In a clone/i.test(sentence));
  return [
    ...(fromRegistry.test(text) ? ['asks the registry for the plain name'] : []),
    ...(!isClonePage && warnings.length > 0 ? ['has the plain name, and its reader may have no clone'] : []),
    ...(plain.test(copied(text)) ? ['has the plain name in a configuration or a pipeline'] : []),
    ...sectionsOf(text)
      .filter((section) => isOutside(section) && plain.test(codeBlocks(section.text)))
      .map(({ heading }) => `has the plain name below "${heading}"`),
  ];
};

test('no text for readers without a clone has the plain name of the package', () => {
  const faults = files.flatMap((file) =>
    faultsOf(file, readFileSync(join(root, file), 'utf8')).map((fault) => `${file} ${fault}`),
  );
  expect(faults).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([...clonePages, 'clients/action/action.yml', 'shared/API.md', 'infra/DEPLOY.md']),
  );
});

test('each page that has the plain name says first that it is for a clone', () => {
  for (const file of clonePages) {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text.slice(0, plain.exec(text)?.index ?? text.length), file).toMatch(/clone|npm ci/);
  }
});

const block = (language: string, code: string) => `## Title\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;
test.each([
  ['infra/DEPLOY.md', 'Run `npx page-audit run https://example.com/`.'],
  ['clients/action/action.yml', '  run: npx page-audit run "$URL"'],
  ['README.md', block('yaml', '- run: npx page-audit run http://localhost:3000')],
  ['README.md', 'Type `npx -y page-audit run https://example.com/`.'],
  ['README.md', 'Type `npm install --global page-audit`.'],
  ['README.md', 'Type `npx page-audit@latest run https://example.com/`.'],
  ['clients/README.md', block('json', '{ "command": "npx", "args": ["-y", "page-audit", "mcp"] }')],
  ['clients/README.md', block('sh', 'npx page-audit run').replace('Title', 'Outside a clone')],
])('%s with %j is a fault', (file, text) => {
  expect(faultsOf(file, text)).not.toEqual([]);
});

test.each([
  ['infra/DEPLOY.md', 'Run `npx @OWNER/page-audit run`, or `npx --no page-audit run`, or `npx ./page-audit.tgz`.'],
  ['clients/README.md', block('sh', 'npx page-audit run https://example.com/')],
  ['clients/cli/PACKAGE.md', 'Outside a clone, `npx page-audit` would ask there.'],
])('%s with %j is right', (file, text) => {
  expect(faultsOf(file, text)).toEqual([]);
});
