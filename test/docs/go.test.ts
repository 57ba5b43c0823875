import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { blocks, buildGoApp, FILES, hasGo, works } from './apps/go-app.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

/** Comes with every Go. */
const FORMATTER = 'gofmt'

const hasFormatter = works(FORMATTER, '-h')
if (!hasFormatter) console.warn('SKIPPED: the page for Go is not checked at all, because there is no gofmt on the PATH')

test('the page shows each file once', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual(FILES.map((file) => `// ${file}`))
})

test.skipIf(!hasFormatter).each(FILES)('%s is written as gofmt writes it', (name) => {
  const file = join(makeScratchFolder(), 'block.go')
  writeFileSync(file, blockWith(blocks, `// ${name}`))
  expect(execFileSync(FORMATTER, ['-l', file], { encoding: 'utf8' })).toBe('')
})

describe.skipIf(!hasGo)('with Go', () => {
  let built: Awaited<ReturnType<typeof buildGoApp>>

  beforeAll(async () => {
    built = await buildGoApp()
    return built.remove
  }, 300_000)

  const start: StartApp = (sandbox) => built.start(sandbox)
  describeApp('The handler for Go', start, { tolerates: ['id_token.kid_empty'] })
})
