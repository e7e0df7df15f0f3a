import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** rule that must report it, what is wrong, name of the package, where it is planted */
const PACKAGES = [
  ['dependency-not-chosen', 'a dependency without a reason', 'planted-package', 'direct'],
  ['foreign-framework', 'an agent framework as a dependency', '@openai/agents', 'direct'],
  ['foreign-framework', 'an agent framework that came with a dependency', 'langchain', 'tree'],
  ['foreign-framework', 'one below another package', '@langchain/core', 'nested'],
  ['foreign-framework', "another framework's client of models", '@ai-sdk/openai', 'tree'],
  ['foreign-framework', 'the framework itself', 'ai', 'tree'],
  ['foreign-framework', 'a plugin that runs agents on Temporal', '@temporalio/ai-sdk', 'tree'],
  ['foreign-framework', 'one more framework', '@mastra/core', 'tree'],
  ['foreign-framework', 'and one more', 'llamaindex', 'tree'],
  ['licence-not-allowed', 'a licence that asks for more', 'planted-copyleft', 'copyleft'],
  ['licence-not-allowed', 'a package without a licence', 'planted-unlicensed', 'unlicensed'],
];

/** A package of the development tree may be anything. */
const DEVELOPMENT_ONLY = 'planted-development';

/**
 * Writes faulty dependencies into the package.json and package-lock.json of a copy of the project.
 * @param {string} folder the copy
 * @returns {readonly {check: string, rule: string, what: string, file: string}[]} what must be reported; `file` is the
 *   name of the package, or the file it is about
 */
export function plantPackages(folder) {
  const manifestFile = join(folder, 'package.json');
  const lockFile = join(folder, 'package-lock.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  for (const [, , name, where] of PACKAGES) {
    if (where === 'direct') manifest.dependencies[name] = '1.0.0';
    const path = where === 'nested' ? `node_modules/fastify/node_modules/${name}` : `node_modules/${name}`;
    const licence =
      { copyleft: 'GPL-3.0-only', unlicensed: undefined }[where] ?? (where === 'unlicensed' ? undefined : 'MIT');
    lock.packages[path] = { version: '1.0.0', license: licence };
  }
  lock.packages[`node_modules/${DEVELOPMENT_ONLY}`] = { version: '1.0.0', license: 'GPL-3.0-only', dev: true };
  delete manifest.dependencies.commander;
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  rmSync(join(folder, 'docs/decisions/0010-differences-from-jsdiff.md'));
  return [
    ...PACKAGES.map(([rule, what, name]) => ({ check: 'dependencies', rule, what, file: name })),
    { check: 'dependencies', rule: 'dependency-gone', what: 'a chosen package that is gone', file: 'commander' },
    { check: 'dependencies', rule: 'decision-missing', what: 'a decision record that is gone', file: 'diff' },
    { check: 'unused', rule: 'dependencies', what: 'a dependency nobody imports', file: 'package.json' },
    { check: 'unused', rule: 'unlisted', what: 'an import of no dependency', file: 'src/cli/create-program.ts' },
  ];
}
