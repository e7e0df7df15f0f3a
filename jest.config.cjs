/** One project per tier. `npm test -- --selectProjects unit` runs one of them. */

const swcOptions = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
};

/**
 * @param {string} name folder under test/
 * @param {{setup?: 'workflow-bundle' | 'server' | 'build', isSlow?: boolean}} [options] setup: what has to be built first;
 *   slow: a test may take 60 s instead of jest's own 5 s
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
    ...(options.isSlow ? { setupFilesAfterEnv: ['<rootDir>/test/support/long-test-timeout.cjs'] } : {}),
  };
}

module.exports = {
  maxWorkers: 2,
  coverageProvider: 'v8',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  projects: [
    project('unit'),
    project('bundle', { setup: 'workflow-bundle' }),
    project('replay', { setup: 'workflow-bundle' }),
    project('adapters'),
    project('server', { setup: 'server', isSlow: true }),
    project('crash', { setup: 'build', isSlow: true }),
    project('package', { setup: 'build', isSlow: true }),
  ],
};
