// Loaded before anything else, by a Node that may be too old to read TypeScript.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Node.js 24 is needed; this is ${process.versions.node}. Run it by \`npm start\`, \`npm test\` or \`npx cdk\`, which bring their own on Linux and Windows, or install Node.js 24.`,
  );
  process.exit(1);
}
