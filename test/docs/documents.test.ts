import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { type FencedBlock, fencedBlocks, headingAnchors, linkTargets, readDocuments } from '../support/markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const documents = readDocuments()

/** Pages whose code no test runs or compiles, each with the reason. Their code is still read by its language. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/test-ids.md': 'some lines of a test in a browser; test/browser finds the same elements',
  'docs/testing-cypress.md': 'Cypress downloads a browser of its own; the page says so',
}

/** Blocks that are no whole text of their language, by file and first line, each with the reason. */
const FRAGMENTS: Readonly<Record<string, string>> = {}

/** Throws when a text is none of its language. A language without a reader here is not read. */
const READERS: Readonly<Record<string, (code: string) => unknown>> = {
  json: JSON.parse,
  yaml: (code) => {
    const [problem] = parseAllDocuments(code).flatMap(({ errors }) => errors)
    if (problem) throw problem
  },
  sh: readShell,
  bash: readShell,
  js: (code) => parseAst(code, { lang: 'jsx' }),
  ts: (code) => parseAst(code, { lang: 'ts' }),
  tsx: (code) => parseAst(code, { lang: 'tsx' }),
}

async function readShell(code: string): Promise<void> {
  const shell = promisify(execFile)('bash', ['-n'])
  shell.child.stdin?.end(code)
  await shell
}

const nameOf = (path: string, { line, code }: FencedBlock) => `${path}:${line} ${code.split('\n')[0]}`
const blocks = documents.flatMap(({ path, text }) => fencedBlocks(text).map((block) => ({ path, block })))

describe('The documents', () => {
  test('open each block of code on a line of its own', () => {
    const inside = documents.flatMap(({ path, text }) =>
      (text.match(/^.*[^\s`>].*```\w*$/gm) ?? []).map((line) => `${path} ${line}`),
    )
    expect(inside).toEqual([])
  })

  test('are all found', () => {
    expect(documents.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/library.md']))
    expect(blocks.length).toBeGreaterThan(60)
  })

  test.each(documents)('lead from $path to files and headings that are there', ({ path, text }) => {
    const inside = linkTargets(text).filter((target) => !/^[a-z]+:/.test(target))
    const broken = inside.filter((target) => {
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? path : posix.join(posix.dirname(path), file)
      if (!existsSync(`${ROOT}${found}`)) return true
      return anchor !== undefined && !headingAnchors(readFileSync(`${ROOT}${found}`, 'utf8')).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('have no code that is no text of its language, but for the fragments that are listed', async () => {
    const unreadable: string[] = []
    for (const { path, block } of blocks) {
      const read = READERS[block.language]
      try {
        await read?.(block.code)
      } catch (cause) {
        unreadable.push(`${nameOf(path, block)}: ${cause}`)
      }
    }
    const listed = Object.keys(FRAGMENTS)
    expect(unreadable.filter((entry) => !listed.some((name) => entry.startsWith(name)))).toEqual([])
    expect(listed.filter((name) => !unreadable.some((entry) => entry.startsWith(name)))).toEqual([])
  })

  test('are each named by a test that runs their code, but for the pages that are listed', () => {
    const tests = readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('documents.test.ts'))
      .map((path) => readFileSync(`${ROOT}test/${path}`, 'utf8'))
    const withCode = new Set(blocks.filter(({ block }) => block.language in READERS).map(({ path }) => path))
    const notRun = [...withCode].filter((path) => !tests.some((text) => text.includes(posix.basename(path))))
    expect(notRun.toSorted()).toEqual(Object.keys(NOT_RUN).toSorted())
  })
})
