/**
 * One project per tier. `npm test -- --selectProjects unit` runs one of them.
 * A project's folder may be empty: then it has no tests and says nothing.
 */

const SERVER_TEST_TIMEOUT_MS = 60_000;

const swcOptions = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
};

/**
 * @param {string} name folder under test/
 * @param {{needsBundle?: boolean, testTimeoutMs?: number}} [options] defaults: no bundle, jest's own 5 s
 */
function project(name, options = {}) {
  return {
    displayName: name,
    rootDir: __dirname,
    roots: ['<rootDir>/test'],
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
    testEnvironment: 'node',
    transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
    ...(options.needsBundle ? { globalSetup: '<rootDir>/test/support/workflow-bundle-setup.cjs' } : {}),
    ...(options.testTimeoutMs ? { testTimeout: options.testTimeoutMs } : {}),
  };
}

module.exports = {
  maxWorkers: 2,
  passWithNoTests: true,
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  projects: [
    project('unit'),
    project('bundle', { needsBundle: true }),
    project('replay', { needsBundle: true }),
    project('adapters'),
    project('server', { needsBundle: true, testTimeoutMs: SERVER_TEST_TIMEOUT_MS }),
    project('crash', { needsBundle: true, testTimeoutMs: SERVER_TEST_TIMEOUT_MS }),
  ],
};
