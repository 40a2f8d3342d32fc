import { productFolders, sourcesIn } from './support/source-files.ts';

const linesIn = (folder: string): number =>
  sourcesIn(folder).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
const shown = (count: number): string => count.toLocaleString('en-US');

const rooms = productFolders.map((folder) => ({ folder, lines: linesIn(folder) }));
const product = rooms.reduce((sum, { lines }) => sum + lines, 0);
const each = rooms.map(({ folder, lines }) => `${folder} ${shown(lines)}`).join(', ');
console.log(`${shown(product)} lines of the product (${each}), ${shown(linesIn('test'))} of tests.`);
