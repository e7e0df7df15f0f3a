/** Time for what people see: `at`, `requestedAt`, `expiresAt`. Leases and grants use the store's own clock instead. */
export interface Clock {
  /** Milliseconds since 1970. Asynchronous, because tests read it from a server that skips time. Never rejects. */
  nowMs(): Promise<number>;
}
