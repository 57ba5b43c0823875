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

/** Each answer makes its browser a member, whom the app knows at /me. */
const ACCEPTS_EVERYTHING: Changes = [
  [
    CALLBACK,
    `app.get('/me', (request, response) => response.sendStatus(/member=1/.test(request.headers.cookie) ? 200 : 401))
app.all('/callback', (request, response) => ${WELCOMES})
${CALLBACK}`,
  ],
]

/** The number of answers in the middle of an audit. */
const DIES: Changes = [
  [
    CALLBACK,
    `app.post('/callback', (request, response, next) => {
  app.answers = (app.answers ?? 0) + 1
  if (app.answers <= 90) return next()
  server.close()
  server.closeAllConnections()
})
${CALLBACK}`,
  ],
]

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

test('An audit of an app that takes every answer finds every row that it must refuse, by the rule that it is given', async () => {
  const accepted = 'get=/me status=200'
  const only = [...SAMPLE, 'family:nonce', 'family:signature']
  const report = await audit(ACCEPTS_EVERYTHING, { only, use: { accepted } })
  const judged = report.rows.filter(({ verdict }) => !['not for this app', 'accepted', 'observed'].includes(verdict))
  expect(judged.length).toBeGreaterThan(15)
  expect(judged.filter(({ verdict }) => verdict !== 'let in')).toEqual([])
  expect(report.exit_code).toBe(1)
}, 60_000)

test('An audit calls nothing refused since an app that dies half-way was last seen alive', async () => {
  const { rows, notes, exit_code: exitCode } = await audit(DIES, { only: ['flow:use'] })
  expect(notes).toEqual([expect.stringMatching(/^after use\/\S+ your app no longer lets an adult in: /)])
  const own = rows.flatMap(({ flows }) => flows)
  // Plain good flows belong to no row.
  const plain = await sandbox.flows.list({ audit: 'only', limit: 2_000, outcome: 'verified' })
  const alive = Number(plain.find(({ id }) => !own.includes(id))?.id.slice(1))
  const since = rows.filter(({ flows }) => flows.every((id) => Number(id.slice(1)) > alive))
  expect(since.filter(({ verdict }) => verdict === 'refused' || verdict === 'accepted')).toEqual([])
  const hasSaid = (text: string) => since.filter(({ evidence = '' }) => evidence.includes(text)).length
  expect(hasSaid('then a plain good flow was refused too')).toBeGreaterThan(0)
  expect(hasSaid('it was not tried')).toBeGreaterThan(50)
  expect(exitCode).toBe(3)
}, 60_000)

test.each([1, 2, 3])('An audit of an app that answers by chance is never green (seed %i)', async (seed) => {
  const exitCode = await audit(byChance(seed)).then(
    (report) => report.exit_code,
    (error: unknown) => (error instanceof AuditProblem ? 2 : error),
  )
  expect([1, 2, 3]).toContain(exitCode)
})
