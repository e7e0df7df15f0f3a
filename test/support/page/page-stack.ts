import { join } from 'node:path';
import { type Gateway, type GatewayOptions, startGateway } from '../../../src/gateway/main';
import { RunningStack, type StackOptions } from '../running-stack';
import { silentLogger } from '../silent-logger';

const PAGE_FOLDER = join(__dirname, '..', '..', '..', 'dist', 'web');

/** A running stack, and a gateway beside its own that serves the page and can go away and come back. */
export class PageStack {
  readonly stack: RunningStack;
  private gateway: Gateway;

  private constructor(stack: RunningStack, gateway: Gateway) {
    this.stack = stack;
    this.gateway = gateway;
  }

  static async start(options: StackOptions = {}, differing: Partial<GatewayOptions> = {}): Promise<PageStack> {
    const stack = await RunningStack.start(options);
    return new PageStack(stack, await startPageGateway(stack, 0, differing));
  }

  get url(): string {
    return this.gateway.url;
  }

  /** The page with one question open. */
  urlOf({ approvalId }: { readonly approvalId: string }): string {
    return `${this.url}/#approval=${approvalId}`;
  }

  async stopGateway(): Promise<void> {
    await this.gateway.close();
  }

  /** Comes back under the same address. */
  async startGateway(): Promise<void> {
    this.gateway = await startPageGateway(this.stack, Number(new URL(this.gateway.url).port));
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.stack.stop();
  }
}

function startPageGateway(
  { store, temporalAddress, feed }: RunningStack,
  port: number,
  differing: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const temporal = { address: temporalAddress, namespace: 'default', taskQueue: 'holdpoint' };
  return startGateway({ store, feed, temporal, port, logger: silentLogger, pageFolder: PAGE_FOLDER, ...differing });
}
