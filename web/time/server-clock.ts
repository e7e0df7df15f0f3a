const NOTICEABLE_SKEW_MS = 30_000;

/** The server's time, carried on between two of its messages by a clock that nobody sets. */
export class ServerClock {
  private offsetMs = Date.now() - performance.now();

  /** Takes over a time the server has just sent. */
  set(serverTime: string): void {
    this.offsetMs = Date.parse(serverTime) - performance.now();
  }

  nowMs(): number {
    return this.offsetMs + performance.now();
  }

  /** How far this device's clock is ahead of the server's, in milliseconds; 0 when nobody would notice. */
  skewMs(): number {
    const skewMs = Date.now() - this.nowMs();
    return Math.abs(skewMs) > NOTICEABLE_SKEW_MS ? skewMs : 0;
  }
}
