/** Version control, our own state, and files whose only content is a login. */
const PROTECTED_NAMES: ReadonlySet<string> = new Set([
  ...['.git', '.hg', '.svn', '.ssh', '.gnupg', '.aws'],
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.htpasswd'],
]);
/** `.env`, `.env.local`, `.envrc`; `.holdpoint` and the unfinished files of writes. */
const PROTECTED_STARTS = ['.env', '.holdpoint'] as const;
const KEY_FILE = /\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx)$|^id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\.|$)/;

/**
 * True for a name of one folder or file that no tool may touch, read or show. Compared as the most forgiving file
 * system would: letters in any case, composed or decomposed, without characters that show nothing, without dots and
 * spaces at the end, and without what follows a colon.
 */
export function isProtectedName(name: string): boolean {
  const folded = foldName(name);
  return (
    PROTECTED_NAMES.has(folded) || PROTECTED_STARTS.some((start) => folded.startsWith(start)) || KEY_FILE.test(folded)
  );
}

function foldName(name: string): string {
  // Upper case folds letters such as the long s, which lower case alone leaves apart. Lower case comes first, since a
  // large sharp s stays as it is in upper case, and file systems read it, like the small one, as two s.
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '')
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
}
