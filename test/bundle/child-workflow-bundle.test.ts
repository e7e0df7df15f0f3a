import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { asInstalledPackage } from '../support/as-installed-package';

const WORKFLOWS_PATH = join(__dirname, '..', '..', 'examples', 'child-workflow', 'write-notes.ts');
/** What a workflow of a user's may carry of ours. */
const ALLOWED = /^\.\/src\/(core|client|workflows)\/([^/]+)\.ts$/;
const SERVER_FILES = /agent-session-workflow|advance-session|temporal-session-(client|executions|run)\b/;

test("a user's workflow that runs a task carries none of our server code, and no client of Temporal", async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS_PATH,
    webpackConfigHook: asInstalledPackage,
    logger: new DefaultLogger('WARN'),
  });
  const modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"$/gm)].map(([, name]) => String(name));
  const own = modules.filter((name) => name.startsWith('./src/'));
  expect(own).toContain('./src/client/temporal.ts');
  expect(own.filter((name) => !ALLOWED.test(name) || SERVER_FILES.test(name))).toEqual([]);
  expect(
    modules.filter((name) => /@temporalio\/(client|worker|activity)\/|grpc|node_modules\/zod\//.test(name)),
  ).toEqual([]);
}, 60_000);
