import type { GatewayStore } from './gateway-store';
import type { SweepStore } from './sweep-store';
import type { WorkerStore } from './worker-store';

/** The whole store: what one opened database offers to all who use it. */
export interface SessionStore extends WorkerStore, GatewayStore, SweepStore {
  close(): Promise<void>;
}
