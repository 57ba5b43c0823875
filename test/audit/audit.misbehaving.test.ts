import { expect, test } from 'vitest'
import { AuditProblem } from '../../src/audit/audit-problem.ts'
import type { AuditRunOptions } from '../../src/audit/options.ts'
import type { Changes } from '../support/express-example.ts'
import { textOf } from '../support/markup.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, SAMPLE } from './apps/audit-example.ts'

const sandbox = await shareSandbox()

const CALLBACK = "app.post('/callback', express.urlencoded(), async (request, response) => {\n"
const WELCOMES = "response.cookie('member', '1').send('Welcome, you are 18.')"

/** An app that answers at random: the same number gives the same chances. */
const byChance = (seed: number): Changes => [
  [
    CALLBACK,
    `let chance = ${seed}
const isLucky = () => {
  chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648
  return chance % 1000 < 500
}
app.post('/callback', (request, response) => {
  if (isLucky()) return ${WELCOMES}
  response.status(400).send('This answer cannot be trusted.')
})
${CALLBACK}`,
  ],
]

/** Three wrong tokens, and an answer that is no token. */
const SOME = ['use/id_token.signature_*', 'use/id_token.nonce_other', 'use/access_denied']

const audit = (changes: Changes, options: AuditRunOptions = {}) =>
  auditExample(sandbox, changes, { only: SOME, timeoutSeconds: 5, ...options })

test('An audit leaves a sandbox as it found it, also one that is interrupted, and marks all its flows', async () => {
  const { personas, expectations, flows, coverage, request } = sandbox
  await sandbox.next({ flow: 'use', outcome: 'access_denied', match: { state: 'of a test' } })
  const state = async () => {
    const { endings, rows, asked } = await coverage.get()
    const keySet = (await request.get('/.well-known/jwks.json')).body
    // With clients, readings and the running clock.
    const tenants = (await request.get('/_sandbox/tenants')).text.replaceAll(/"(?:base|now)":"[^"]+"/g, '')
    const isRotated = /Keys rotated/.test(textOf((await request.get('/_sandbox/console/tenants')).text))
    // For a request that was pushed last, the browser has said nothing.
    const shown = (await flows.list()).filter(({ summary }) => !summary.startsWith('pushed: waits'))
    const keys = (await personas.list()).map(({ name, age_key }) => [name, age_key?.signals.length])
    const lists = [keys, await expectations.list(), shown]
    return { lists, endings, rows, asked, keySet, tenants, isRotated }
  }
  const before = await state()
  const only = [...SAMPLE, 'use/id_token.key_rotated', 'use/code_issued', 'create/created', 'create/created_new']
  await audit([], { only })
  expect(await state()).toEqual(before)
  const interrupt = new AbortController()
  const onProgress: AuditRunOptions['onProgress'] = ({ stage }) => void (stage === 'row' && interrupt.abort())
  await audit([], { only, signal: interrupt.signal, onProgress })
  expect(await state()).toEqual(before)
  expect((await flows.list({ audit: 'only', limit: 2_000 })).length).toBeGreaterThan(30)
})

test.each([1, 2, 3])('An audit of an app that answers by chance is never green (seed %i)', async (seed) => {
  const exitCode = await audit(byChance(seed)).then(
    (report) => report.exit_code,
    (error: unknown) => (error instanceof AuditProblem ? 2 : error),
  )
  expect([1, 2, 3]).toContain(exitCode)
})
