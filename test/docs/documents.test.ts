import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import {
  codeBlocks,
  codeIn,
  fencedBlocks,
  headingAnchors,
  linkTargets,
  ROOT,
  readDocuments,
  readPage,
  readRoot,
} from './page.ts'

const documents = readDocuments()

/** Throws when a text is none of its language. A language without a reader here is not read. */
const READERS: Readonly<Record<string, (code: string) => unknown>> = {
  json: JSON.parse,
  yaml: (code) => {
    const [problem] = parseAllDocuments(code).flatMap(({ errors }) => errors)
    if (problem) throw problem
  },
  js: (code) => parseAst(code, { lang: 'jsx' }),
  ts: (code) => parseAst(code, { lang: 'ts' }),
  tsx: (code) => parseAst(code, { lang: 'tsx' }),
}

const SHELLS = ['sh', 'bash']

const blocks = documents.flatMap(({ path, text }) =>
  fencedBlocks(text).map((block) => ({
    ...block,
    path,
    name: `${path}:${block.line} ${block.code.split('\n')[0]}`,
  })),
)

test('The documents open each block of code on a line of its own', () => {
  const inside = documents.flatMap(({ path, text }) =>
    (text.match(/^.*[^\s`>].*```\w*$/gm) ?? []).map((it) => `${path} ${it}`),
  )
  expect(inside).toEqual([])
  expect(documents.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'docs/library.md']),
  )
  expect(blocks.length).toBeGreaterThan(60)
})

test.each(documents)(
  'The links of $path lead to files and headings that are there',
  ({ path, text }) => {
    const broken = [...new Set(linkTargets(text))]
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#')
        const found = file === '' ? path : posix.join(posix.dirname(path), file)
        if (!existsSync(`${ROOT}${found}`)) return true
        return anchor !== undefined && !headingAnchors(readRoot(found)).includes(anchor)
      })
    expect(broken).toEqual([])
  },
)

test('The documents have no code that is no text of its language', () => {
  for (const { language, code, name } of blocks)
    expect(() => READERS[language]?.(code), name).not.toThrow()
  // Each block is the body of a function, which no other block can close.
  const shell = blocks.filter(({ language }) => SHELLS.includes(language))
  const script = shell.map(({ name, code }, index) => `f${index}() { # ${name}\n:\n${code}\n}\n`)
  const { status, stderr } = spawnSync('bash', ['-n'], { input: script.join(''), encoding: 'utf8' })
  expect({ status, stderr }, script.join('')).toEqual({ status: 0, stderr: '' })
})

test('Each document with code is named by a test that runs the code', () => {
  const tests = readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('documents.test.ts'))
    .map((path) => readRoot(`test/${path}`))
  const withCode = blocks.filter(({ language }) =>
    [...Object.keys(READERS), ...SHELLS].includes(language),
  )
  const paths = [...new Set(withCode.map(({ path }) => path))]
  const notRun = paths.filter((path) => !tests.some((text) => text.includes(posix.basename(path))))
  expect(notRun).toEqual([])
})

test.each([
  ['testing.md', 'python', ['# conftest.py', '# test_age.py']],
  ['testing.md', 'go', ['// main_test.go']],
])('%s shows each of its files once', (page, language, firstLines) => {
  expect(codeBlocks(readPage(page), language).map((code) => code.split('\n')[0])).toEqual(
    firstLines,
  )
})

test.each(readRoot('SECURITY.md').match(/^\| (?!(?:Never|What) \|).*/gm) ?? [])(
  'A promise of SECURITY.md names tests that exist: %s',
  (row) => {
    const tests = codeIn(row).filter((code) => code.startsWith('test/'))
    expect(tests).not.toEqual([])
    expect(tests.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([])
  },
)
