/**
 * One project per tier. `npm test -- --selectProjects unit` runs one of them.
 * A project's folder may be empty: then it has no tests and says nothing.
 */

const swcOptions = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
};

/**
 * @param {string} name folder under test/
 * @param {{needsBundle?: boolean, isSlow?: boolean}} [options] slow: a test may take 60 s instead of jest's own 5 s
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
    ...(options.isSlow ? { setupFilesAfterEnv: ['<rootDir>/test/support/long-test-timeout.cjs'] } : {}),
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
    project('server', { needsBundle: true, isSlow: true }),
    project('crash', { needsBundle: true, isSlow: true }),
  ],
};
