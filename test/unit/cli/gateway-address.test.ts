import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayAddress } from '../../../src/cli/gateway-address';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-address-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function announce(stateFolder: string, owner: unknown): void {
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(join(stateFolder, 'owner.json'), JSON.stringify(owner));
}

function find(environment: Readonly<Record<string, string>> = {}, flag?: string, workingFolder = folder): string {
  return gatewayAddress({ flag, environment, workingFolder }).url;
}

const announced = { pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z', url: 'http://127.0.0.1:9001' };

it('is 127.0.0.1:8400 when nothing says otherwise', () => {
  expect(find()).toBe('http://127.0.0.1:8400');
});

it('is what --url says, else HOLDPOINT_URL, else what runs on the nearest state folder', () => {
  announce(join(folder, '.holdpoint'), announced);
  const inside = join(folder, 'a', 'b');
  mkdirSync(inside, { recursive: true });
  expect(find({}, undefined, inside)).toBe('http://127.0.0.1:9001');
  expect(find({ HOLDPOINT_URL: 'http://other:1' }, undefined, inside)).toBe('http://other:1');
  expect(find({ HOLDPOINT_URL: ' ' }, undefined, inside)).toBe('http://127.0.0.1:9001');
  expect(find({ HOLDPOINT_URL: 'http://other:1' }, 'https://third', inside)).toBe('https://third');
});

it('is read from HOLDPOINT_HOME alone when that is set', () => {
  announce(join(folder, '.holdpoint'), announced);
  announce(join(folder, 'elsewhere'), { ...announced, url: 'http://127.0.0.1:9002' });
  expect(find({ HOLDPOINT_HOME: 'elsewhere' })).toBe('http://127.0.0.1:9002');
  expect(find({ HOLDPOINT_HOME: 'nothing-here' })).toBe('http://127.0.0.1:8400');
});

it.each([
  ['a holdpoint that is dead', { ...announced, pid: 999_999_999 }],
  ['one that is still starting', { pid: process.pid, startedAt: announced.startedAt }],
  ['a broken file', 'x'],
  ['an address that is none', { ...announced, url: 'nonsense' }],
])('is not that of %s', (_what, owner) => {
  announce(join(folder, '.holdpoint'), owner);
  expect(find()).toBe('http://127.0.0.1:8400');
});

it.each([['nonsense'], ['127.0.0.1:8400'], ['file:///etc/passwd'], ['']])('refuses %j', (text) => {
  expect(() => find({}, text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
