import { brotliDecompressSync, constants, inflateRawSync, inflateSync } from 'node:zlib';

/** What every planted text contains. Letters and digits only, so that no escaping hides it. */
export const CANARY = 'Kanarie7f3eQz';

/** A text to plant, with a word that says where. */
export function canary(place: string): string {
  return `${CANARY} ${place}`;
}

/** Texts in texts in texts: deeper than anybody packs by accident. */
const MAX_DEPTH = 3;
/** A digest is shorter; there are thousands, and each would be tried. */
const SHORTEST_UNMARKED_BYTES = 33;
const SHOWN_CHARACTERS = 60;
const BASE64_RUN = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const GZIP = Buffer.from([0x1f, 0x8b, 0x08, 0]);
const GZIP_HEADER_BYTES = 10;
const ZLIB = [0x01, 0x5e, 0x9c, 0xda].map((level) => Buffer.from([0x78, level]));

const NEEDLES = needlesOf(CANARY);

/**
 * Every form in which the canary is in some bytes, with what stands around it: as UTF-8 or UTF-16, as hex, as base64 at
 * any offset, behind JSON escapes, compressed, and all of that inside of base64. Empty when it is not there.
 */
export function findCanary(bytes: Uint8Array): readonly string[] {
  return find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), MAX_DEPTH);
}

function find(bytes: Buffer, depth: number): readonly string[] {
  const here = NEEDLES.flatMap(({ form, needle }) => {
    const place = bytes.indexOf(needle);
    return place < 0 ? [] : [`${form}: ${shown(bytes, place)}`];
  });
  if (here.length > 0 || depth === 0) {
    return here;
  }
  return innerOf(bytes).flatMap(({ form, inner }) => find(inner, depth - 1).map((found) => `${form} of ${found}`));
}

function needlesOf(text: string): readonly { readonly form: string; readonly needle: Buffer }[] {
  const utf16 = Buffer.from(text, 'utf16le');
  const encodings = [
    ['utf-8', Buffer.from(text)],
    ['utf-16le', utf16],
    ['utf-16be', Buffer.from(utf16).swap16()],
  ] as const;
  return encodings.flatMap(([form, bytes]) => {
    const hex = bytes.toString('hex');
    const base64 = [0, 1, 2].flatMap((offset) => base64At(bytes, offset));
    return [
      { form, needle: bytes },
      ...[hex, hex.toUpperCase()].map((needle) => ({ form: `hex of ${form}`, needle: Buffer.from(needle) })),
      ...base64.map((needle) => ({ form: `base64 of ${form}`, needle: Buffer.from(needle) })),
    ];
  });
}

/** The characters of base64 that depend on nothing but these bytes, when so many others come before them. */
function base64At(bytes: Buffer, offset: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const from = offset === 0 ? 0 : 4;
  const to = Math.floor(whole.length / 3) * 4;
  const standard = whole.toString('base64').slice(from, to);
  return [...new Set([standard, standard.replaceAll('+', '-').replaceAll('/', '_')])];
}

/** What may be packed into some bytes. */
function innerOf(bytes: Buffer): readonly { readonly form: string; readonly inner: Buffer }[] {
  const text = bytes.toString('latin1');
  const base64 = [...text.matchAll(BASE64_RUN)].map(([run]) => ({
    form: 'base64',
    inner: Buffer.from(run, 'base64url'),
  }));
  const escaped = text.includes('\\u')
    ? [{ form: 'escapes', inner: Buffer.from(text.replace(/\\u([0-9a-f]{4})/gi, unescaped)) }]
    : [];
  return [...base64, ...escaped, ...unpacked(bytes)];
}

function unescaped(_whole: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** Compressed data, wherever it begins; of brotli and raw deflate, which have no mark, only what is nothing else. */
function unpacked(bytes: Buffer): readonly { readonly form: string; readonly inner: Buffer }[] {
  const cut = { finishFlush: constants.Z_SYNC_FLUSH };
  return [
    // Node's gunzip refuses most of what may follow; the header of a stream without a name has ten bytes.
    ...placesOf(bytes, GZIP).map((place) => ({
      form: 'gzip',
      unpack: () => inflateRawSync(bytes.subarray(place + GZIP_HEADER_BYTES), cut),
    })),
    ...ZLIB.flatMap((mark) => placesOf(bytes, mark)).map((place) => ({
      form: 'zlib',
      unpack: () => inflateSync(bytes.subarray(place), cut),
    })),
    ...(bytes.length < SHORTEST_UNMARKED_BYTES
      ? []
      : [
          { form: 'deflate', unpack: () => inflateRawSync(bytes) },
          { form: 'brotli', unpack: () => brotliDecompressSync(bytes) },
        ]),
  ].flatMap(({ form, unpack }) => {
    try {
      return [{ form, inner: unpack() }];
    } catch {
      return [];
    }
  });
}

function placesOf(bytes: Buffer, mark: Buffer): readonly number[] {
  const places: number[] = [];
  for (let place = bytes.indexOf(mark); place >= 0; place = bytes.indexOf(mark, place + 1)) {
    places.push(place);
  }
  return places;
}

function shown(bytes: Buffer, place: number): string {
  return bytes.subarray(Math.max(0, place - SHOWN_CHARACTERS), place + SHOWN_CHARACTERS).toString('latin1');
}
