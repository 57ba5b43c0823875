import { expect, test } from 'vitest'
import { loadFile, problemOf, settingsIn } from '../settings-in.ts'

const NO_COMMENT = 'begins no comment: JSON has none, and in YAML a comment begins with #'

test.each([
  ['{\n  // the port\n  "port": 1\n}', `agekey-sandbox.yaml:2: "//" ${NO_COMMENT}`],
  ['{\n  "port": 1, // the port\n  "seed": 1\n}', `agekey-sandbox.yaml:2: "//" ${NO_COMMENT}`],
  ['{"port": 1 /* the port */}', `agekey-sandbox.yaml:1: "/*" ${NO_COMMENT}`],
  ['/* mine */\n{"port": 1}', `agekey-sandbox.yaml:1: "/*" ${NO_COMMENT}`],
  ['// mine\n{"port": 1}', `agekey-sandbox.yaml:1: "//" ${NO_COMMENT}`],
  ['{"port": 1} // end', `agekey-sandbox.yaml:1: "//" ${NO_COMMENT}`],
  ['{"base_url": "http://a", // x\n"port": 1}', `agekey-sandbox.yaml:1: "//" ${NO_COMMENT}`],
])('The comment of the JSON file %j is named', async (text, message) => {
  expect(await problemOf(loadFile(text))).toBe(message)
})

test('A comment is named in a file that ends with .json, whatever it begins with', async () => {
  const { load } = settingsIn({ 'a.json': '# mine\n{"port": 1 // x\n}' })
  expect(await problemOf(load({ config: 'a.json' }))).toBe(`a.json:2: "//" ${NO_COMMENT}`)
})

test.each([
  ['{"base_url": "http://localhost:1", "prot": 1}', 'prot: unknown key'],
  ['{ base_url: http://localhost:1, prot: 1 }', 'prot: unknown key'],
  ['base_url: http://localhost:1 // x', 'base_url: '],
])(
  'A problem of the file %j stays what it is, since no JSON is commented',
  async (text, message) => {
    expect(await problemOf(loadFile(text))).toContain(message)
  },
)

test('JSON with a comma before a closing bracket is read, as YAML is', async () => {
  expect((await loadFile('{"platforms": ["a",], "seed": 1,}')).sandbox).toMatchObject({
    platforms: ['a'],
    seed: 1,
  })
})
