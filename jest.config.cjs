/** One project per tier. `npm test -- --selectProjects unit` runs one of them. */

const swcOptions = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
};

/**
 * @param {string} name folder under test/
 * @param {{setup?: 'workflow-bundle' | 'server' | 'build'}} [options] setup: what has to be built first
 */
function project(name, options = {}) {
  return {
    displayName: name,
    rootDir: __dirname,
    roots: ['<rootDir>/test'],
    testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
    testEnvironment: 'node',
    // What a project of a user's writes; the package has it as a subpath.
    moduleNameMapper: { '^holdpoint/temporal$': '<rootDir>/src/client/temporal.ts' },
    transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
    ...(options.setup ? { globalSetup: `<rootDir>/test/support/${options.setup}-setup.cjs` } : {}),
  };
}

module.exports = {
  maxWorkers: 2,
  // Long: the disks, processes and servers of the tests are real, and the machine may be busy.
  testTimeout: 60_000,
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  projects: [
    project('unit'),
    project('bundle', { setup: 'workflow-bundle' }),
    project('replay', { setup: 'workflow-bundle' }),
    project('adapters'),
    project('server', { setup: 'server' }),
    project('crash', { setup: 'build' }),
    project('package', { setup: 'build' }),
  ],
};
