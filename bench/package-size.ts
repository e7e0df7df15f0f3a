/** How large the package is that users install, and how many packages come with it. Nothing is installed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './support/report';

const ROOT_FOLDER = join(__dirname, '..');

/** What `npm pack --json` says. */
interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** What this needs of a lock file. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly dependencies?: object }>>;
}

function measured(name: string, unit: 'bytes' | 'files' | 'packages', value: number): void {
  report({ name: `package-size/${name}`, unit, value, samples: [value] });
}

function main(): void {
  const parameters = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', parameters, { cwd: ROOT_FOLDER, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as [Packed];
  const { packages } = JSON.parse(readFileSync(join(ROOT_FOLDER, 'package-lock.json'), 'utf8')) as Lock;
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  measured('tarball', 'bytes', packed.size);
  measured('unpacked', 'bytes', packed.unpackedSize);
  measured('files', 'files', packed.entryCount);
  measured('direct-dependencies', 'packages', Object.keys(packages['']?.dependencies ?? {}).length);
  measured('all-dependencies', 'packages', installed.length);
}

main();
