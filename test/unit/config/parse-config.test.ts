import { parseConfig } from '../../../src/config';
import { HoldpointError } from '../../../src/core/errors';

const FOLDER = '/projects/shop';

function faultsOf(environment: Record<string, string>): string[] {
  try {
    parseConfig(environment, FOLDER);
  } catch (error) {
    expect(error).toBeInstanceOf(HoldpointError);
    expect((error as HoldpointError).code).toBe('invalid_config');
    return (error as HoldpointError).message.split('\n');
  }
  return [];
}

describe('parseConfig', () => {
  it('fills in every default when nothing is set', () => {
    expect(parseConfig({}, FOLDER)).toEqual({
      port: 8400,
      homeFolder: '/projects/shop/.holdpoint',
      workspaceFolder: '/projects/shop',
      temporalPort: undefined,
      temporalAddress: undefined,
      temporalNamespace: 'default',
      taskQueue: 'holdpoint',
      model: 'mock:workspace',
      isModelSet: false,
      approvalExpiryMs: undefined,
      logLevel: 'info',
    });
  });

  it('reads every setting', () => {
    const environment = {
      HOLDPOINT_PORT: '9000',
      HOLDPOINT_HOME: 'state',
      HOLDPOINT_WORKSPACE: '/data/work',
      HOLDPOINT_TEMPORAL_PORT: '7300',
      TEMPORAL_ADDRESS: 'temporal.internal:7233',
      TEMPORAL_NAMESPACE: 'agents',
      HOLDPOINT_TASK_QUEUE: 'shop-agents',
      HOLDPOINT_MODEL: 'openai:gpt-5',
      HOLDPOINT_APPROVAL_EXPIRY_MS: '5000',
      HOLDPOINT_LOG_LEVEL: 'debug',
    };
    expect(parseConfig(environment, FOLDER)).toEqual({
      port: 9000,
      homeFolder: '/projects/shop/state',
      workspaceFolder: '/data/work',
      temporalPort: 7300,
      temporalAddress: 'temporal.internal:7233',
      temporalNamespace: 'agents',
      taskQueue: 'shop-agents',
      model: 'openai:gpt-5',
      isModelSet: true,
      approvalExpiryMs: 5000,
      logLevel: 'debug',
    });
  });

  it('takes empty and blank values as not set', () => {
    const names = [
      'HOLDPOINT_PORT',
      'HOLDPOINT_HOME',
      'HOLDPOINT_WORKSPACE',
      'HOLDPOINT_TEMPORAL_PORT',
      'TEMPORAL_ADDRESS',
      'TEMPORAL_NAMESPACE',
      'HOLDPOINT_TASK_QUEUE',
      'HOLDPOINT_MODEL',
      'HOLDPOINT_APPROVAL_EXPIRY_MS',
      'HOLDPOINT_LOG_LEVEL',
    ];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    const blank = Object.fromEntries(names.map((name) => [name, ' \t']));
    expect(parseConfig(empty, FOLDER)).toEqual(parseConfig({}, FOLDER));
    expect(parseConfig(blank, FOLDER)).toEqual(parseConfig({}, FOLDER));
  });

  it('takes the bare name mock as the mock model, and remembers that it was set', () => {
    expect(parseConfig({ HOLDPOINT_MODEL: 'mock' }, FOLDER)).toMatchObject({
      model: 'mock:workspace',
      isModelSet: true,
    });
  });

  it('takes port 0 as any free port', () => {
    const config = parseConfig({ HOLDPOINT_PORT: '0', HOLDPOINT_TEMPORAL_PORT: '0' }, FOLDER);
    expect(config.port).toBe(0);
    expect(config.temporalPort).toBeUndefined();
  });

  it('takes addresses with a host, an IPv4 or an IPv6 address, with or without a port', () => {
    for (const address of ['localhost', '127.0.0.1:7233', '[::1]:7233', 'a-b.example:1']) {
      expect(parseConfig({ TEMPORAL_ADDRESS: address }, FOLDER).temporalAddress).toBe(address);
    }
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(parseConfig({}, FOLDER))).toBe(true);
  });

  it('reports all faults together, each with variable, expectation and value', () => {
    expect(
      faultsOf({
        HOLDPOINT_PORT: '80a',
        HOLDPOINT_TEMPORAL_PORT: '70000',
        TEMPORAL_ADDRESS: 'http://localhost:7233',
        TEMPORAL_NAMESPACE: 'a b',
        HOLDPOINT_TASK_QUEUE: '/x',
        HOLDPOINT_MODEL: 'gpt-5',
        HOLDPOINT_APPROVAL_EXPIRY_MS: '0',
        HOLDPOINT_LOG_LEVEL: 'loud',
        HOLDPOINT_HOME: 'a\0b',
      }),
    ).toEqual([
      'HOLDPOINT_PORT: expected a whole number from 0 to 65535, got "80a"',
      'HOLDPOINT_TEMPORAL_PORT: expected a whole number from 0 to 65535, got "70000"',
      'HOLDPOINT_MODEL: expected <api>:<model>, for example mock:workspace, got "gpt-5"',
      'HOLDPOINT_HOME: expected a folder, got "a\\u0000b"',
      'TEMPORAL_ADDRESS: expected host:port, got "http://localhost:7233"',
      'TEMPORAL_NAMESPACE: expected letters, digits, ".", "_" and "-", got "a b"',
      'HOLDPOINT_TASK_QUEUE: expected at most 200 printable characters, no leading "/", got "/x"',
      'HOLDPOINT_APPROVAL_EXPIRY_MS: expected milliseconds, a whole number from 1 to 31536000000, got "0"',
      'HOLDPOINT_LOG_LEVEL: expected one of debug, info, warn, error, silent, got "loud"',
    ]);
  });

  it.each(['-1', '1.5', '65536', '0x10', '1e3', '8400 '.repeat(2), '٣'])('refuses %p as a port', (port) => {
    expect(faultsOf({ HOLDPOINT_PORT: port })).toHaveLength(1);
  });

  it('refuses one port for gateway and Temporal server', () => {
    expect(faultsOf({ HOLDPOINT_TEMPORAL_PORT: '8400' })).toEqual([
      'HOLDPOINT_TEMPORAL_PORT: expected another port than HOLDPOINT_PORT, got 8400',
    ]);
  });

  it('never shows a secret that was put into the wrong variable', () => {
    const secret = 'sk-proj-0123456789abcdef0123456789abcdef';
    const [model] = faultsOf({ HOLDPOINT_MODEL: secret });
    expect(model).toBe(
      'HOLDPOINT_MODEL: expected <api>:<model>, for example mock:workspace, got "sk-pro"... (40 characters)',
    );
    const [address] = faultsOf({ TEMPORAL_ADDRESS: 'user:secret@host:1' });
    expect(address).toBe('TEMPORAL_ADDRESS: expected host:port, got "***@host:1"');
  });
});
