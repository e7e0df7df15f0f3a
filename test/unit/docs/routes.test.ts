import type { GatewayContext } from '../../../src/gateway/gateway-context';
import { createGatewayServer } from '../../../src/gateway/server';
import { STREAM_DEFAULTS } from '../../../src/gateway/stream-settings';
import { readProjectFile } from './project-files';

/** Routes as `POST /v1/sessions`, with `:id` for every parameter. */
type Routes = readonly string[];

/** Calls of README's HTTP section, from the code at the start of each row. */
function documentedRoutes(): Routes {
  const [, section = ''] = readProjectFile('README.md').split('## HTTP\n');
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return rows
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(GET|POST|DELETE|PUT|PATCH) ([^`\s?]+)/g)])
    .map(([, method, path]) => `${method} ${path}`);
}

/** What the server prints as a tree: each line is a part of a path, further in than the one it belongs to. */
async function registeredRoutes(): Promise<Routes> {
  const context = { page: [{ path: '/' }], closing: new AbortController().signal, streams: STREAM_DEFAULTS };
  const server = createGatewayServer(context as unknown as GatewayContext);
  await server.ready();
  const tree = server.printRoutes({ commonPrefix: false });
  await server.close();
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indentation = '', part = '', methods = ''] = /^([│├└─ ]*)(\S+) \(([A-Z, ]+)\)$/.exec(line) ?? [];
    parts.splice(indentation.length / 4 - 1, Number.POSITIVE_INFINITY, part);
    const path = parts.join('').replace(/:\w+/g, ':id').replace(/^\/\//, '/');
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`);
  });
}

test("README's table of HTTP calls has every route of the gateway, and no other", async () => {
  expect([...documentedRoutes()].sort()).toEqual([...(await registeredRoutes())].sort());
});
