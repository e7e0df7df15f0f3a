import { type RunningServer, superviseServer, type TemporalServerEvent } from '../../../src/dev/supervise-server';

const FIRST_DELAY_MS = 1;

/** A server whose end the test decides. */
function makeServer(pid: number) {
  let end: (how: string) => void = () => undefined;
  const exited = new Promise<string>((resolve) => {
    end = resolve;
  });
  const server: RunningServer = { pid, port: 7233, exited };
  return { server, end };
}

/** Supervises with these outcomes of the restarts, one by one, and collects what is said. */
function supervise(first: RunningServer, restarts: (() => Promise<RunningServer>)[]) {
  const events: TemporalServerEvent[] = [];
  let hear: () => void = () => undefined;
  const supervision = superviseServer(
    first,
    async () => {
      const restart = restarts.shift();
      if (restart === undefined) {
        throw new Error('not expected to start again');
      }
      return restart();
    },
    (event) => {
      events.push(event);
      hear();
    },
    FIRST_DELAY_MS,
  );
  const untilEvents = async (count: number) => {
    while (events.length < count) {
      await new Promise<void>((resolve) => {
        hear = resolve;
      });
    }
    return events.map(({ type, line }) => `${type}: ${line}`);
  };
  return { supervision, events, untilEvents };
}

describe('the supervision of a server', () => {
  it('starts it again each time it ends, and tries again when that fails', async () => {
    const [first, second, third] = [makeServer(1), makeServer(2), makeServer(3)];
    const { supervision, untilEvents } = supervise(first.server, [
      () => Promise.reject(new Error('port 7233 for the Temporal server is in use')),
      () => Promise.resolve(second.server),
      () => Promise.resolve(third.server),
    ]);
    first.end('SIGKILL');
    await untilEvents(3);
    expect(supervision.current().pid).toBe(2);
    second.end('exit code 1');
    expect(await untilEvents(5)).toEqual([
      'exited: the Temporal server ended (SIGKILL), starting it again',
      'restart-failed: port 7233 for the Temporal server is in use',
      'restarted: the Temporal server runs again at 127.0.0.1:7233',
      'exited: the Temporal server ended (exit code 1), starting it again',
      'restarted: the Temporal server runs again at 127.0.0.1:7233',
    ]);
    expect(supervision.current().pid).toBe(3);
    await supervision.stop();
  });

  it('says nothing and starts nothing once it is stopped', async () => {
    const { server, end } = makeServer(1);
    const { supervision, events } = supervise(server, []);
    await supervision.stop();
    end('SIGTERM');
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([]);
  });

  it('can be stopped while it waits to start again', async () => {
    const { server, end } = makeServer(1);
    const events: string[] = [];
    const untilExit = new Promise<void>((resolve) => {
      const supervision = superviseServer(
        server,
        () => Promise.reject(new Error('not expected to start again')),
        ({ type }) => {
          events.push(type);
          resolve(supervision.stop());
        },
        60_000,
      );
    });
    end('SIGKILL');
    await untilExit;
    expect(events).toEqual(['exited']);
  });

  it('gives up a start in progress when it is stopped', async () => {
    const { server, end } = makeServer(1);
    const events: string[] = [];
    let starting: (signal: AbortSignal) => void = () => undefined;
    const started = new Promise<AbortSignal>((resolve) => {
      starting = resolve;
    });
    const supervision = superviseServer(
      server,
      (signal) => {
        starting(signal);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      ({ type }) => events.push(type),
      FIRST_DELAY_MS,
    );
    end('SIGKILL');
    const signal = await started;
    await supervision.stop();
    expect(signal.aborted).toBe(true);
    expect(events).toEqual(['exited']);
  });
});
