import { isUtf8 } from 'node:buffer'

/**
 * The text of bytes, or their problem: the end of a sentence that begins with the name of the file
 * or body, and the line.
 */
export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly line?: number }

/**
 * Decodes UTF-8 without a byte order mark. Invalid bytes are never replaced: the reason names the
 * encoding and the remedy.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const signature = SIGNATURES.find(([start]) =>
    start.every((byte, index) => bytes[index] === byte),
  )
  const nul = bytes.indexOf(0)
  const other = signature?.[1] ?? (nul < 0 ? undefined : wideEncoding(bytes))
  if (other !== undefined) return { ok: false, reason: other }
  if (nul >= 0)
    return atByte(
      bytes,
      nul,
      'a text has no NUL byte (0x00); name a text file, or save it as UTF-8',
    )
  // TextDecoder removes the byte order mark.
  if (isUtf8(bytes)) return { ok: true, text: new TextDecoder().decode(bytes) }
  const at = firstInvalid(bytes)
  return atByte(bytes, at, invalidByte(bytes, at))
}

/** Because of the brackets, Windows PowerShell reads the whole file before it writes the file. */
const fromUtf16 = (encoding: string) =>
  `save it as UTF-8: (Get-Content -Encoding ${encoding} FILE) | Set-Content -Encoding utf8 FILE`
const LITTLE_ENDIAN = fromUtf16('Unicode')
const BIG_ENDIAN = fromUtf16('BigEndianUnicode')

/**
 * The first bytes of other file formats. UTF-32 comes before UTF-16, because its byte order mark
 * begins with that of UTF-16.
 */
const SIGNATURES: readonly (readonly [bytes: readonly number[], reason: string])[] = [
  [[0xff, 0xfe, 0x00, 0x00], 'is UTF-32; save it as UTF-8'],
  [[0x00, 0x00, 0xfe, 0xff], 'is UTF-32; save it as UTF-8'],
  [[0xff, 0xfe], `is UTF-16 (PowerShell's > writes that); ${LITTLE_ENDIAN}`],
  [[0xfe, 0xff], `is UTF-16 (big-endian); ${BIG_ENDIAN}`],
  [[0x50, 0x4b, 0x03, 0x04], 'is a zip archive and no text; unpack it'],
  [
    [0x30, 0x82],
    'is a certificate or key in DER or PKCS#12 and no text; convert it to PEM by openssl',
  ],
  [[0x1f, 0x8b], 'is compressed by gzip; unpack it'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd; unpack it'],
  [[0x89, 0x50, 0x4e, 0x47], 'is a PNG image and no text; name a text file'],
  [[0xff, 0xd8, 0xff], 'is a JPEG image and no text; name a text file'],
  [[0x25, 0x50, 0x44, 0x46, 0x2d], 'is a PDF and no text; name a text file'],
  [[0x7f, 0x45, 0x4c, 0x46], 'is a program and no text; name a text file'],
]

/**
 * Number of bytes that are examined to distinguish UTF-16 and UTF-32 without a byte order mark from
 * a text with a NUL; a multiple of four.
 */
const LOOKED_AT = 1024

/**
 * Recognises Latin letters in UTF-16 and UTF-32: in each group of four bytes, the same positions
 * are almost always NUL.
 */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, Math.min(bytes.length & ~1, LOOKED_AT))
  const isNul = [0, 1, 2, 3].map((place) => {
    const column = start.filter((_, index) => index % 4 === place)
    return column.length > 0 && column.filter((byte) => byte === 0).length > column.length / 2
  })
  switch (isNul.map((is) => (is ? '0' : 'x')).join('')) {
    case 'x000':
    case '000x':
      return 'is UTF-32 without a byte order mark; save it as UTF-8'
    case 'x0x0':
    case 'x0xx':
      return `is UTF-16 without a byte order mark; ${LITTLE_ENDIAN}`
    case '0x0x':
    case '0xxx':
      return `is UTF-16 without a byte order mark; ${BIG_ENDIAN}`
    default:
      return undefined
  }
}

/**
 * The index of the first invalid byte. Lines can be checked separately, because no longer character
 * contains the byte of a line feed.
 */
function firstInvalid(bytes: Uint8Array): number {
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0 && isUtf8(bytes.subarray(start, end)); ) {
    start = end + 1
    end = bytes.indexOf(LINE_FEED, start)
  }
  for (let at = start; at < bytes.length; ) {
    const length = LENGTHS.find(
      (count) => at + count <= bytes.length && isUtf8(bytes.subarray(at, at + count)),
    )
    if (length === undefined) return at
    at += length
  }
  return bytes.length
}

const LINE_FEED = 0x0a
/** Possible lengths of a character in bytes. */
const LENGTHS = [1, 2, 3, 4]

function invalidByte(bytes: Uint8Array, at: number): string {
  const byte = bytes[at] ?? 0
  const name = `the byte 0x${byte.toString(16).toUpperCase().padStart(2, '0')}`
  if (isCutOff(bytes.subarray(at, at + 4)))
    return `${name} begins a character of UTF-8 that the end of the text cuts off; copy the text again`
  // The upper half of Latin-1 has the same code points in Unicode.
  const letter = byte >= 0xa0 ? ` (${String.fromCharCode(byte)} in Latin-1)` : ''
  return `${name}${letter} is not UTF-8; save it as UTF-8, for example by iconv -f latin1 -t utf-8 FILE > NEW`
}

/**
 * Whether the last bytes begin a longer character. A single byte is more likely a letter of
 * Latin-1.
 */
function isCutOff([lead = 0, ...rest]: Uint8Array): boolean {
  const length = lead >= 0xf0 ? 4 : 3
  return (
    lead >= 0xe0 &&
    rest.length > 0 &&
    rest.length < length - 1 &&
    rest.every((byte) => byte >> 6 === 0b10)
  )
}

/** A problem at a byte, with the line of the byte. */
function atByte(bytes: Uint8Array, at: number, reason: string): DecodedText {
  let line = 1
  for (
    let end = bytes.indexOf(LINE_FEED);
    end >= 0 && end < at;
    end = bytes.indexOf(LINE_FEED, end + 1)
  )
    line++
  return { ok: false, reason, line }
}
