import { isStoppedByOperator, statusOfTerminated } from '../../../src/core/run-description';

/** The words of server 1.32, as its history shows them. */
test.each([
  'Workflow history size exceeds limit.',
  'Workflow history count exceeds limit.',
  'Workflow mutable state size exceeds limit.',
  'Transaction size exceeds limit.',
  'Complete result exceeds size limit.',
  'GrpcMessageTooLarge',
])('a run that the server ended with these words was stopped by nobody: %s', (reason) => {
  const status = statusOfTerminated({ reason, identity: 'history-service' });
  expect(status).toBe('TERMINATED_FOR_SIZE');
  expect(isStoppedByOperator(status)).toBe(false);
});

test.each([
  ['Workflow history size exceeds limit.', 'temporal-cli:ann@laptop'],
  ['', ''],
  ['by parent close policy', 'history-service'],
])('a run that ended with "%s" by "%s" was stopped by somebody', (reason, identity) => {
  const status = statusOfTerminated({ reason, identity });
  expect(status).toBe('TERMINATED');
  expect(isStoppedByOperator(status)).toBe(true);
});

test('a run whose place a start took was stopped by somebody, too, and says how', () => {
  const reason = 'TerminateIfRunning WorkflowIdReusePolicy';
  expect(statusOfTerminated({ reason, identity: 'history-service' })).toBe('TERMINATED_BY_NEXT_RUN');
  expect(statusOfTerminated({ reason, identity: 'temporal-cli:ann@laptop' })).toBe('TERMINATED');
  expect(isStoppedByOperator('TERMINATED_BY_NEXT_RUN')).toBe(true);
});

test('a cancelled run was stopped by somebody, and no other end of a run is', () => {
  const statuses = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'CONTINUED_AS_NEW', 'TIMED_OUT'];
  expect(statuses.filter(isStoppedByOperator)).toEqual(['CANCELLED']);
});
