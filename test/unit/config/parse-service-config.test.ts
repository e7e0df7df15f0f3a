import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseServiceConfig, parseStoreAddress } from '../../../src/config';
import { HoldpointError } from '../../../src/core/errors';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const FOLDER = '/services/desk';
const LEAST = { HOLDPOINT_STORE: 'sqlite:desk.db', HOLDPOINT_UNSAFE_NO_AUTH: '1' };
const newFolder = temporaryFolders();

function faultsOf(parse: () => unknown): readonly string[] {
  try {
    parse();
  } catch (error) {
    expect((error as HoldpointError).code).toBe('invalid_config');
    expect(error).toBeInstanceOf(HoldpointError);
    return (error as HoldpointError).message.split('\n');
  }
  return [];
}

const serviceFaults = (environment: Record<string, string>) => faultsOf(() => parseServiceConfig(environment, FOLDER));
const storeFaults = (environment: Record<string, string>) => faultsOf(() => parseStoreAddress(environment, FOLDER));

test('a service listens on loopback unless it is told otherwise', () => {
  expect(parseServiceConfig(LEAST, FOLDER)).toMatchObject({
    host: '127.0.0.1',
    allowedHosts: [],
    port: 8400,
    store: { kind: 'sqlite', path: '/services/desk/desk.db' },
  });
});

test.each([undefined, '', '0', 'true', 'yes'])('a service without authentication is not started by %p', (value) => {
  const environment = { HOLDPOINT_STORE: 'sqlite:desk.db', ...(value && { HOLDPOINT_UNSAFE_NO_AUTH: value }) };
  expect(serviceFaults(environment).at(-1)).toMatch(/^HOLDPOINT_UNSAFE_NO_AUTH: there is no authentication yet/);
});

test.each(['0.0.0.0', '::', '10.0.0.7', '128.0.0.1'])('a gateway on %s has to be told its names', (host) => {
  expect(serviceFaults({ ...LEAST, HOLDPOINT_HOST: host })).toEqual([
    `HOLDPOINT_ALLOWED_HOSTS: expected the names callers use, since HOLDPOINT_HOST is ${host}`,
  ]);
  const named = { ...LEAST, HOLDPOINT_HOST: host, HOLDPOINT_ALLOWED_HOSTS: 'Gateway:8400, desk.internal' };
  expect(parseServiceConfig(named, FOLDER)).toMatchObject({ host, allowedHosts: ['gateway:8400', 'desk.internal'] });
});

test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('a gateway on %s needs no names', (host) => {
  expect(parseServiceConfig({ ...LEAST, HOLDPOINT_HOST: host }, FOLDER).host).toBe(host);
});

test('all faults are told together', () => {
  const faults = serviceFaults({ HOLDPOINT_PORT: 'x', HOLDPOINT_HOST: 'desk', HOLDPOINT_ALLOWED_HOSTS: 'a b' });
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'HOLDPOINT_PORT',
    'HOLDPOINT_STORE',
    'HOLDPOINT_UNSAFE_NO_AUTH',
    'HOLDPOINT_HOST',
    'HOLDPOINT_ALLOWED_HOSTS',
  ]);
});

describe('the store', () => {
  test.each([
    ['sqlite:desk.db', { kind: 'sqlite', path: '/services/desk/desk.db' }],
    ['sqlite:/var/lib/desk.db', { kind: 'sqlite', path: '/var/lib/desk.db' }],
    ['postgres://desk:s3cret@db/desk', { kind: 'postgres', connectionString: 'postgres://desk:s3cret@db/desk' }],
    ['postgresql://db/desk?ssl=1', { kind: 'postgres', connectionString: 'postgresql://db/desk?ssl=1' }],
  ])('%s is an address', (text, address) => {
    expect(parseStoreAddress({ HOLDPOINT_STORE: text }, FOLDER)).toEqual(address);
  });

  test.each([
    'desk.db',
    'sqlite:',
    'sqlite://desk.db',
    'mysql://me:s3cret@db/desk',
    'postgres://',
    'postgres://me:s3@cr@et@:x/',
  ])('%s is none, and no part of it is shown', (text) => {
    const [fault = ''] = storeFaults({ HOLDPOINT_STORE: text });
    expect(fault).toBe(
      `HOLDPOINT_STORE: expected sqlite:<path> or postgres://<user>:<password>@<host>/<database>, got ${text.length} characters that are not shown`,
    );
  });

  test('it may stand in a file, as secrets are handed to containers', () => {
    const file = join(newFolder(), 'store');
    writeFileSync(file, 'postgres://desk:s3cret@db/desk\n');
    expect(parseStoreAddress({ HOLDPOINT_STORE_FILE: file }, FOLDER)).toMatchObject({ kind: 'postgres' });
    expect(storeFaults({ HOLDPOINT_STORE_FILE: file, HOLDPOINT_STORE: 'sqlite:a' })).toEqual([
      'HOLDPOINT_STORE: expected to be set alone, but HOLDPOINT_STORE_FILE is set, too',
    ]);
    writeFileSync(file, 'mysql://desk:s3cret@db/desk\n');
    expect(storeFaults({ HOLDPOINT_STORE_FILE: file }).join()).not.toContain('s3cret');
    expect(storeFaults({ HOLDPOINT_STORE_FILE: 'none' })).toEqual([
      'HOLDPOINT_STORE_FILE: expected a file that can be read, got "/services/desk/none" (ENOENT)',
    ]);
  });

  test('without one nothing is guessed', () => {
    expect(storeFaults({})).toHaveLength(1);
  });
});
