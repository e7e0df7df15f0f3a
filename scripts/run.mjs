/**
 * The way in of `npm start`, `npm run stop`, `npm test`, `npm run bench` and `npm run verify`: makes sure that
 * dependencies and build are there, then goes on as the program that was asked for.
 * Only `node:` modules may be imported before the dependencies are installed. The Node version is checked before
 * anything else is loaded, since older versions cannot read the other scripts.
 */
const MINIMUM_NODE = [20, 20];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1])) {
  console.error(`holdpoint needs Node ${MINIMUM_NODE.join('.')} or newer, this is ${process.versions.node}`);
  process.exit(1);
}

const { start } = await import('./start.mjs');
await start(process.argv[2], process.argv.slice(3));
