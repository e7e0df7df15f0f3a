import { once } from 'node:events';
import { Command } from 'commander';
import type * as GatewayModule from '../../gateway/run-gateway';
import { reportFailure } from '../report-failure';
import { runService } from '../run-service';

/** `holdpoint gateway`: HTTP and the page, beside a Temporal server and a store of one's own. */
export function gatewayCommand(): Command {
  return new Command('gateway').action(async () => {
    try {
      await runService(async () => {
        // Late: other commands need no HTTP server.
        const { runGateway } = require('../../gateway/run-gateway') as typeof GatewayModule;
        const gateway = await runGateway(process.env);
        const stopped = new AbortController();
        const finished = once(stopped.signal, 'abort').then(() => gateway.close());
        return { finished, stop: () => stopped.abort() };
      });
    } catch (error) {
      reportFailure(error);
    }
    process.exit();
  });
}
