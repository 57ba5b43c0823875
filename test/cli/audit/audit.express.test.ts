import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shareSandbox } from '../../support/sandbox.ts'
import { auditInProcess, reportIn, useScratchFolder, writeStart } from './audit-in-process.ts'

const EXAMPLE = readFileSync(new URL('../../../examples/express/app.js', import.meta.url), 'utf8')
const sandbox = await shareSandbox()
useScratchFolder()

test.each([
  ['--fail-on should', { failOn: 'should' }],
  ['--readings --fail-on-readings', { readings: true, failOnReadings: true }],
])(
  'The Express example passes audit %s, and nothing that counts is left open',
  async (_flags, flags) => {
    writeStart(EXAMPLE)
    const { code, stdout } = await auditInProcess(sandbox, { ...flags, jobs: '2', json: 'r.json' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('undetermined') })
    const { rows, readings } = reportIn('r.json')
    const judged = rows.length > 0 ? rows : (readings?.variants ?? [])
    expect(judged.filter(({ verdict }) => verdict !== 'not for this app').length).toBeGreaterThan(40)
  },
  300_000,
)
