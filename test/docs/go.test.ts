import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeBlocks, readPage } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const blocks = codeBlocks(readPage('integration-go.md'), 'go')

/** Comes with every Go. */
const FORMATTER = 'gofmt'

const hasGo = spawnSync(FORMATTER, ['-h']).error === undefined
if (!hasGo) console.warn('SKIPPED: the page for Go is not checked, because there is no gofmt on the PATH')

test.skipIf(!hasGo).each(blocks)('a block of Go parses, and is written as gofmt writes it', (code) => {
  const file = join(makeScratchFolder(), 'age.go')
  writeFileSync(file, code)
  expect(execFileSync(FORMATTER, ['-l', file], { encoding: 'utf8' })).toBe('')
})
