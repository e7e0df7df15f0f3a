/**
 * Ends the output with `N passed, N failed` alone on the last line, with `, N skipped` when tests were skipped.
 * A test file that could not run counts as one failed test. With CI=true a skipped test fails the run:
 * a machine that lacks a part must not look green there.
 */
class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    this.skippedInCi = process.env.CI === 'true' ? skipped : 0;
    if (this.skippedInCi > 0) process.stderr.write(`${skipped} skipped: in CI a skipped test is a failure\n`);
    // jest prints its own summary after every reporter, so this waits for the end of the process.
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed${tail}\n`));
  }

  getLastError() {
    return this.skippedInCi > 0 ? new Error(`${this.skippedInCi} tests were skipped`) : undefined;
  }
}

module.exports = ClosingLineReporter;
