import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText } from '../../../src/sandbox/files/decode-text.ts'

const decode = (...parts: (string | readonly number[])[]) =>
  decodeText(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
    ),
  )

const TEXT = 'name: shop\nport: 80\n'
const wide = (
  text: string,
  write: (view: DataView, offset: number, code: number) => void,
  bytes: 2 | 4,
) => {
  const view = new DataView(new ArrayBuffer(text.length * bytes))
  for (const [index, character] of [...text].entries())
    write(view, index * bytes, character.charCodeAt(0))
  return new Uint8Array(view.buffer)
}
const utf16 = (text: string, isLittle: boolean) =>
  wide(text, (view, offset, code) => view.setUint16(offset, code, isLittle), 2)
const utf32 = (text: string, isLittle: boolean) =>
  wide(text, (view, offset, code) => view.setUint32(offset, code, isLittle), 4)

test('Any text is decoded from its UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decode(text)).toEqual({ ok: true, text })
    }),
  )
})

test('A byte order mark of UTF-8 is dropped', () => {
  expect(decode([0xef, 0xbb, 0xbf], 'a: ü')).toEqual({ ok: true, text: 'a: ü' })
})

test('An empty file is an empty text', () => {
  expect(decode('')).toEqual({ ok: true, text: '' })
})

test.each([
  [
    'UTF-16 with a mark, as PowerShell writes it',
    utf16(`\uFEFF${TEXT}`, true),
    /^is UTF-16 \(PowerShell's > writes/,
  ],
  ['big-endian UTF-16 with a mark', utf16(`\uFEFF${TEXT}`, false), /^is UTF-16 \(big-endian\);/],
  [
    'UTF-16 without a mark',
    utf16(TEXT, true),
    /^is UTF-16 without a byte order mark; .* -Encoding Unicode FILE/,
  ],
  [
    'big-endian UTF-16 without a mark',
    utf16(TEXT, false),
    /^is UTF-16 without .* -Encoding BigEndianUnicode FILE/,
  ],
  [
    'UTF-16 of some letters that are not Latin',
    utf16('name: „Ωμέγα“ shop\n', true),
    /^is UTF-16 without/,
  ],
  ['one letter of UTF-16', utf16('a', true), /^is UTF-16 without/],
  ['UTF-32 with a mark', utf32(`\uFEFF${TEXT}`, true), /^is UTF-32; save it as UTF-8$/],
  ['big-endian UTF-32 with a mark', utf32(`\uFEFF${TEXT}`, false), /^is UTF-32; save it as UTF-8$/],
  [
    'UTF-32 without a mark',
    utf32(TEXT, true),
    /^is UTF-32 without a byte order mark; save it as UTF-8$/,
  ],
  ['big-endian UTF-32 without a mark', utf32(TEXT, false), /^is UTF-32 without a byte order mark/],
])('Bytes of %s are named as such, with the mend', (_, bytes, reason) => {
  expect(decodeText(bytes)).toEqual({ ok: false, reason: expect.stringMatching(reason) })
})

test('The mend for UTF-16 is a line of PowerShell', () => {
  const mend = '(Get-Content -Encoding Unicode FILE) | Set-Content -Encoding utf8 FILE'
  expect(decodeText(utf16(`\uFEFF${TEXT}`, true))).toMatchObject({
    reason: expect.stringContaining(mend),
  })
})

test.each([
  ['a zip archive', [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00]],
  ['compressed by gzip', [0x1f, 0x8b, 0x08, 0x00]],
  ['compressed by zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]],
  ['a JPEG image', [0xff, 0xd8, 0xff, 0xe0]],
  ['a PDF', [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31]],
  ['a program', [0x7f, 0x45, 0x4c, 0x46, 0x02]],
  ['DER or PKCS#12', [0x30, 0x82, 0x01, 0x0a]],
])('A file that is no text is named: %s', (what, bytes) => {
  expect(decode(bytes)).toEqual({ ok: false, reason: expect.stringContaining(what) })
})

const SAVE = 'save it as UTF-8, for example by iconv -f latin1 -t utf-8 FILE > NEW'
const CUT = 'begins a character of UTF-8 that the end of the text cuts off; copy the text again'

test.each([
  [
    'an ü of Latin-1',
    ['a\nb: "', [0xfc], '"\n'],
    2,
    `the byte 0xFC (ü in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  ['a quotation mark of Windows-1252', [[0x84], 'a'], 1, `the byte 0x84 is not UTF-8; ${SAVE}`],
  [
    'a lone continuation byte',
    ['\n\n', [0xa9]],
    3,
    `the byte 0xA9 (© in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  [
    'an overlong slash',
    ['a: ', [0xc0, 0xaf]],
    1,
    `the byte 0xC0 (À in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  [
    'half of a surrogate pair',
    ['é\n', [0xed, 0xa0, 0x80]],
    2,
    `the byte 0xED (í in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  [
    'a byte beyond Unicode',
    ['a\r\n', [0xf5, 0x80, 0x80, 0x80]],
    2,
    `the byte 0xF5 (õ in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  [
    'a character that a letter cuts',
    ['€\n', [0xe2, 0x82], 'x'],
    2,
    `the byte 0xE2 (â in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  ['a character that the end cuts', ['a\n', [0xe2, 0x82]], 2, `the byte 0xE2 ${CUT}`],
  [
    'a last letter of Latin-1',
    ['caf', [0xe9]],
    1,
    `the byte 0xE9 (é in Latin-1) is not UTF-8; ${SAVE}`,
  ],
  ['an emoji that the end cuts', ['a', [0xf0, 0x9f, 0x98]], 1, `the byte 0xF0 ${CUT}`],
] as const)(
  'Bytes that are no UTF-8 are an error with the line of the first: %s',
  (_, parts, line, reason) => {
    expect(decode(...parts)).toEqual({ ok: false, line, reason })
  },
)

test('A NUL is an error with its line', () => {
  const reason = 'a text has no NUL byte (0x00); name a text file, or save it as UTF-8'
  expect(decode('name: shop\nport: 80\n# ', [0], ' and so on\n')).toEqual({
    ok: false,
    line: 3,
    reason,
  })
})

test('Whatever the bytes are, they are decoded whole or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const decoded = decodeText(bytes)
      const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
      if (decoded.ok)
        expect(Buffer.from(decoded.text)).toEqual(Buffer.from(isMarked ? bytes.subarray(3) : bytes))
      else expect(decoded.reason).not.toBe('')
    }),
    { numRuns: 1_000 },
  )
})
