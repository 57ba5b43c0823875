import fc from 'fast-check'

/**
 * Texts that make a parser of YAML recurse, compare or report too much: a part, repeated, with what
 * stands around it.
 */
const REPEATED: readonly (readonly [part: string, before?: string, after?: string])[] = [
  ...[
    '[',
    '{',
    '? ',
    '- ',
    ': ',
    '[{',
    '- [',
    '{a: ',
    '[a: ',
    '? - ',
    '? a: ',
    '- ? ',
    '&a [',
    '!!seq [',
    '"a": [',
  ].map((part) => [part] as const),
  [':\n'],
  ['? \n'],
  ['?\n:\n'],
  ['-\n'],
  ['&a '],
  ['- &a x\n'],
  ['- *a\n', '- &a x\n'],
  ['*a : x\n', '- &a x\n'],
  ['!!str '],
  ['!a '],
  ['!<tag:yaml.org,2002:str> '],
  ['---\n'],
  ['...\n'],
  ['%TAG ! !\n'],
  ['%YAML 1.1\n'],
  ['<<: {}\n'],
  ['a: b\n'],
  ['a: b\r\n'],
  ['- |\n'],
  ['- >\n\n'],
  ['\n', '- |\n', 'x'],
  [' \n', '- >+\n', 'x'],
  ['#\n'],
  [' #\n', 'a: b\n'],
  ['\n #', 'a:'],
  [','],
  [',', '[', ']'],
  [',', '{', '}'],
  [':,', '{', '}'],
  ['?,', '{', '}'],
  ['a,', '{', '}'],
  ['a: b,', '[', ']'],
  ['@,', '[', ']'],
  ['- @\n'],
  ['"'],
  ["'"],
  ['"a" '],
  ['\\"', '"'],
  ['\\x41', '"', '"'],
  ['\n', '"', '"'],
  ['a  \n ', "'", "'"],
  ['a: "x\n'],
  ["a: 'x\n"],
  ['a: - b\n'],
  ['a: b: c\n'],
  ['  a: b\n c: d\n'],
  ['\ta\n'],
  [' '],
  ['\n'],
  ['\r'],
  [']'],
  ['}\n'],
  ['9'],
  ['a'],
  ['a '],
  ['a\n'],
  ['__proto__: {a: '],
  ['{},', 'personas: [', ']'],
  ['{name: a},', 'personas: [', ']'],
  ['1,', 'name: a\ntitle: a\npurpose: a\nage_key: { signals: [', '] }'],
  ['{},', 'name: a\nsteps: [', ']'],
  ['{decide: {}},', 'name: a\nsteps: [', ']'],
]

/**
 * Texts of at most so many bytes, each with a name: the repeated ones, and some that grow from line
 * to line.
 */
export function hostileYaml(bytes: number): readonly (readonly [name: string, text: string])[] {
  const repeated = REPEATED.map(([part, before = '', after = '']) => {
    const text =
      before + part.repeat(Math.floor((bytes - before.length - after.length) / part.length)) + after
    return [`${before}${part}${after}`, text] as const
  })
  return [
    ...repeated,
    ['[...] closed', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
    ['keys', growing(bytes, (n) => `k${n}: 1\n`)],
    ['keys in braces', `{${growing(bytes - 2, (n) => `k${n},`)}}`],
    ['unknown steps', `name: a\nsteps: [{${growing(bytes - 19, (n) => `k${n},`)}}]`],
    ['lines ever deeper', growing(bytes, (n) => `${' '.repeat(n)}a:\n`)],
    ['dashes ever deeper', growing(bytes, (n) => `${' '.repeat(n)}-\n`)],
    ['anchors', growing(bytes, (n) => `- &a${n} x\n`)],
    [
      'aliases of aliases',
      growing(bytes, (n) => `- &a${n} [*a${n - 1}, *a${n - 1}]\n`).replace('*a-1, *a-1', 'x'),
    ],
    ['an alias of itself', '&a [*a, '.repeat(bytes / 8)],
    [
      'a long list and its aliases',
      `- &a [${'x,'.repeat(Math.max(0, bytes - 1_000) / 2)}]\n${'- *a\n'.repeat(100)}`,
    ],
  ]
}

function growing(bytes: number, lineAt: (n: number) => string): string {
  let text = ''
  for (let n = 0, line = lineAt(0); text.length + line.length <= bytes; line = lineAt(++n))
    text += line
  return text
}

/** Texts of the characters and words that mean something in YAML. */
export const yamlNoise = (maxLength: number): fc.Arbitrary<string> => {
  const words = [
    '!!str ',
    '!a ',
    '&a ',
    '*a',
    '%TAG ',
    '---\n',
    '...\n',
    '<<: ',
    'name',
    'steps: ',
    '\n  ',
    '\r\n',
    '\uFEFF',
  ]
  return fc
    .array(fc.constantFrom(...'a1 :\n-?[]{},"\'|>!%#&*@`\t\\~<', ...words), { maxLength })
    .map((parts) => parts.join(''))
}
