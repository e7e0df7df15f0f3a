import { join } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';

type Hook = NonNullable<Extract<WorkerOptions['bundlerOptions'], object>['webpackConfigHook']>;

const SUBPATHS = { 'holdpoint/temporal$': join(__dirname, '..', '..', 'src', 'client', 'temporal.ts') };

/** Lets Temporal's bundler find the package by its name, as it does in a project that has installed it. */
export const asInstalledPackage: Hook = (config) => ({
  ...config,
  resolve: { ...config.resolve, alias: { ...config.resolve?.alias, ...SUBPATHS } },
});
