import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program';

const ROOT_FOLDER = join(__dirname, '..', '..', '..');
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
const INSTALL_TIMEOUT_MS = 300_000;

/** What `npm pack` says about the tarball it wrote. */
export interface Tarball {
  readonly path: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/** Folders in which the package is used as its users do: installed from the tarball, away from its sources. */
export class PackedProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdpoint-package-'));

  /** Writes the tarball, building first what is not built. */
  async pack(): Promise<Tarball> {
    const output = await runProgram('npm', ['pack', '--json', '--pack-destination', this.folder], {
      folder: ROOT_FOLDER,
      timeoutMs: INSTALL_TIMEOUT_MS,
    });
    // What a build prints comes first.
    const [packed] = JSON.parse(output.slice(output.lastIndexOf('\n[\n') + 1)) as [
      { filename: string; files: { path: string }[] },
    ];
    return { path: join(this.folder, packed.filename), files: packed.files.map(({ path }) => path) };
  }

  /** An empty project of one kind with these files. Returns its folder. */
  create(name: string, type: 'commonjs' | 'module', files: Readonly<Record<string, string>> = {}): string {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type }));
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(folder, file), content);
    }
    return folder;
  }

  /** A copy of a folder of the repository, without what is installed or left over there. Returns the copy. */
  copy(path: string): string {
    const folder = join(this.folder, path.split('/').at(-1) ?? '');
    const isLeftOver = (source: string) => /\/(node_modules|\.holdpoint|orders\.db[^/]*)$/.test(source);
    cpSync(join(ROOT_FOLDER, path), folder, { recursive: true, filter: (source) => !isLeftOver(source) });
    return folder;
  }

  async install(folder: string, packages: readonly string[]): Promise<void> {
    await runProgram('npm', [...INSTALL, ...packages], { folder, timeoutMs: INSTALL_TIMEOUT_MS });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
