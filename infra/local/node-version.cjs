// Node loads this file first, because an older Node can't read TypeScript.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `This is Node.js ${process.versions.node}, but version 24 is needed. On Linux and Windows, use \`npm start\`, \`npm test\` or \`npx cdk\`, which bring Node.js 24. Elsewhere install Node.js 24.`,
  );
  process.exit(1);
}
// Node strips the types of each file and compiles it. Later starts read the results from this folder.
const { join } = require('node:path');
require('node:module').enableCompileCache(join(__dirname, '../../node_modules/.cache/node-compile'));
