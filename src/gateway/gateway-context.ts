import type { TemporalSessionClient } from '../client/temporal-session-client';
import type { Tenant } from '../core/ids';
import type { Clock } from '../core/ports/clock';
import type { FeedSource } from '../core/ports/feed';
import type { GatewayStore } from '../core/ports/gateway-store';
import type { Logger } from '../core/ports/logger';
import type { Page } from './read-page';
import type { StreamSettings } from './stream-settings';

/** What the routes work with. */
export interface GatewayContext {
  readonly store: GatewayStore;
  readonly sessions: TemporalSessionClient;
  /** `Host` names besides those of this machine, lower case. */
  readonly allowedHosts: readonly string[];
  /** Never taken from a request's body or path. */
  readonly tenant: Tenant;
  /** Who sends what comes in. There is no login on a loopback gateway, so it is the same for every request. */
  readonly principal: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly feed: FeedSource | undefined;
  /** The web page; undefined when this gateway serves none. */
  readonly page?: Page | undefined;
  readonly streams: StreamSettings;
  /** How long a decision waits for its outcome before it is answered with 202, in milliseconds. */
  readonly outcomeTimeoutMs: number;
  /** Fires when the gateway closes: whoever waits for something answers with what is known. */
  readonly closing: AbortSignal;
}
