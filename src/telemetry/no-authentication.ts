/**
 * Says at a start, whatever the log level is, that whoever reaches the process may do everything. It is one line on
 * standard error.
 */
export function warnOfNoAuthentication(part: 'worker' | 'gateway'): void {
  process.emitWarning(
    `This ${part} runs without authentication: whoever reaches gateway, Temporal or store can start sessions and approve writes.`,
    { type: 'HoldpointWarning', code: 'HOLDPOINT_UNSAFE_NO_AUTH' },
  );
}
