import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { AuditProblem } from '../../src/audit/audit-problem.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import type { AuditReport, VerdictName } from '../../src/sandbox/outcomes/audit-report.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { findFreePort } from '../support/free-port.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, SAMPLE } from './apps/audit-example.ts'

const sandbox = await shareSandbox()

const APP = 'const app = express()\n'
const CALLBACK = "app.post('/callback', express.urlencoded(), async (request, response) => {\n"
const WELCOME = "  response.send('Welcome, you are 18.')\n"
const UNTRUSTED = "  response.status(400).send('This answer cannot be trusted.')\n"

/** What it does before anything else with each request. */
const first = (code: string): Changes => [[APP, `${APP}app.use((request, response, next) => { ${code} })\n`]]

/** What it does instead of the page that refuses an answer. */
const insteadOfRefusal = (code: string): Changes => [[UNTRUSTED, `  ${code}\n`]]

const WELCOMES = "response.cookie('member', '1').send('Welcome, you are 18.')"

/** The Express example, changed so that it misbehaves as a whole. */
const MISBEHAVING = {
  refusesEverything: [[WELCOME, "  response.status(403).send('Not you.')\n"]],
  /** Each answer makes its browser a member, whom it knows at /me. */
  acceptsEverything: [
    [
      CALLBACK,
      `app.get('/me', (request, response) => response.sendStatus(/member=1/.test(request.headers.cookie) ? 200 : 401))
app.all('/callback', (request, response) => ${WELCOMES})
${CALLBACK}`,
    ],
  ],
  answers500: insteadOfRefusal("response.status(500).send('Something went wrong.')"),
  closesConnections: insteadOfRefusal('request.socket.destroy()'),
  redirectsForEver: insteadOfRefusal("response.redirect(307, '/callback?round=' + Math.random())"),
  sends50MB: insteadOfRefusal(
    "response.writeHead(400, { 'Content-Type': 'text/html' }).end(app.bytes ??= Buffer.alloc(50_000_000, 'untrusted '))",
  ),
  neverRefuses: insteadOfRefusal('setTimeout(() => response.sendStatus(400), 30_000).unref()'),
  redirectsTheBeginning: first("if (request.path === '/verify') response.redirect('/verify'); else next()"),
  closesTheBeginning: first("if (request.path === '/verify') request.socket.destroy(); else next()"),
  sends50MBAtTheBeginning: first("if (request.path === '/verify') response.end(Buffer.alloc(50_000_000)); else next()"),
  /** 30 seconds before each page. */
  isSlow: first('setTimeout(next, 30_000).unref()'),
  /** After as many requests as an audit makes in its middle. */
  dies: first(
    'app.served = (app.served ?? 0) + 1; if (app.served > 100) { server.close(); server.closeAllConnections() } next()',
  ),
  /** After 20 answers that it refused it refuses every request. */
  limitsTheRate: [
    ...first("if (app.failures >= 20) response.status(429).send('Too many attempts.'); else next()"),
    ...insteadOfRefusal(`app.failures = (app.failures ?? 0) + 1\n${UNTRUSTED}`),
  ],
  /** After 20 answers that it refused it refuses every answer, and does not say why. */
  locksOut: [
    [CALLBACK, `${CALLBACK}  if (app.failures >= 20) return response.status(403).send('Not you.')\n`],
    ...insteadOfRefusal(`app.failures = (app.failures ?? 0) + 1\n${UNTRUSTED}`),
  ],
  /** By the address of the browser, not by a cookie. */
  remembersTheUser: [
    [CALLBACK, `const members = new Set()\n${CALLBACK}  if (members.has(request.ip)) return ${WELCOMES}\n`],
    [WELCOME, `  members.add(request.ip)\n${WELCOME}`],
  ],
} as const satisfies Record<string, Changes>

/** An app that answers by chance: the same chances for the same number. */
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

const audit = (changes: Changes, options: AuditOptions = {}) =>
  auditExample(sandbox, changes, { only: SOME, timeoutSeconds: 5, ...options })

/** The message of an audit that can show nothing. */
async function problemOf(audited: Promise<AuditReport>): Promise<string> {
  const problem: unknown = await audited.then(
    ({ totals }) => expect.fail(`it ended with ${JSON.stringify(totals)}`),
    (error: unknown) => error,
  )
  if (!(problem instanceof AuditProblem)) throw problem
  expect(problem.message).not.toContain('\n')
  return problem.message
}

const problemAt = (page: string) => problemOf(runAudit(appAt(sandbox, { page, agent: createHttpAgent() })))

const rowsWith = ({ rows }: AuditReport, verdict: VerdictName) =>
  rows.filter((row) => row.verdict === verdict).map(({ row }) => row)

/** After a yes its page holds a script alone, and after a no it says why, with the same status. */
const SAYS_LESS: Changes = [
  ["'Welcome, you are 18.'", '\'<script>location = "/members"</script>\''],
  ["status(403).send('You are not 18 yet.')", "send('You are not 18 yet.')"],
  ["'openid svc.upgrade'", "'openid'"],
]

test.each<readonly [string, Changes, RegExp]>([
  [
    'refuses a right token',
    MISBEHAVING.refusesEverything,
    /^your app answers a right token of adult-passport with 403 at \/callback \("Not you."\); run: agekey-sandbox doctor/,
  ],
  [
    'answers alike after a yes and after a no',
    MISBEHAVING.acceptsEverything,
    /^yes and no look alike: 200 at \/callback .*after adult-passport and after access_denied; give --accepted "get=/,
  ],
  [
    'says less after a yes than after a no',
    SAYS_LESS,
    /^yes and no look alike: after adult-passport your app shows nothing that it does not show after child-12: 200 at \/callback; give --accepted "get=/,
  ],
  [
    'remembers its users',
    MISBEHAVING.remembersTheUser,
    /^child-12 is let in after adult-passport was: your app remembers the user; use \{n\} in before:, or give reset:$/,
  ],
  ['answers after 30 seconds', MISBEHAVING.isSlow, /^GET \/verify is not answered in time; raise --timeout/],
  ['redirects the first page for ever', MISBEHAVING.redirectsTheBeginning, /^GET \/verify is redirected more than 20/],
  ['closes the connection', MISBEHAVING.closesTheBeginning, /^GET \/verify: your app closes the connection/],
  ['sends 50 MB', MISBEHAVING.sends50MBAtTheBeginning, /^GET \/verify answers 200 and leads to no Use request/],
])('An audit shows nothing of an app that %s, and says why in one line', async (_what, changes, message) => {
  expect(await problemOf(audit(changes, { timeoutSeconds: 1 }))).toMatch(message)
})

test('An audit shows nothing of an app that is not there, or speaks http where https is asked for, and says why', async () => {
  const nowhere = `http://localhost:${await findFreePort()}/verify`
  const remedy = 'nothing answers; start your app first, or name its command by --start'
  expect(await problemAt(nowhere)).toBe(`${nowhere}: ${remedy}`)
  const app = await startExpressExample(sandbox)
  onTestFinished(() => app.stop())
  expect(await problemAt(`${app.url.replace('http:', 'https:')}/verify`)).toMatch(
    /^https:\/\/localhost:\d+\/verify: .* cannot be reached: it does not speak TLS; look at the address of your app$/,
  )
})

test('An audit shows nothing of an app that uses another service, and names the address that the app needs', async () => {
  const app = await startExpressExample({ baseUrl: 'https://age.example', url: sandbox.url })
  onTestFinished(() => app.stop())
  const where = 'https://age.example/v1/oidc/use, not to this sandbox'
  const message = `GET /verify goes to ${where}; set your app's base URL to ${sandbox.baseUrl}`
  expect(await problemAt(`${app.url}/verify`)).toBe(message)
})

test('An audit of an app that takes every answer finds every row that it must refuse, by the rule that it is given', async () => {
  const accepted = 'get=/me status=200'
  const report = await audit(MISBEHAVING.acceptsEverything, { only: SAMPLE, use: { accepted } })
  const judged = report.rows.filter(({ verdict }) => !['not for this app', 'accepted', 'observed'].includes(verdict))
  expect(judged.length).toBeGreaterThan(15)
  expect(judged.filter(({ verdict }) => verdict !== 'let in')).toEqual([])
  expect(report.exit_code).toBe(1)
}, 60_000)

test.each([
  ['answers wrong tokens with 500', MISBEHAVING.answers500],
  ['closes the connection after wrong tokens', MISBEHAVING.closesConnections],
  ['never answers wrong tokens', MISBEHAVING.neverRefuses],
])('An audit calls an app that %s broken, which counts from the level should on', async (_what, changes) => {
  const report = await audit(changes, { repeat: 1, timeoutSeconds: 0.5, failOn: 'should' })
  expect(rowsWith(report, 'refused')).toEqual(['use/access_denied'])
  expect(rowsWith(report, 'broke')).toHaveLength(report.rows.length - 1)
  expect(report.exit_code).toBe(1)
})

test('An app that breaks at wrong tokens fails no audit that counts from the level must on', async () => {
  const report = await audit(MISBEHAVING.answers500, { repeat: 1 })
  expect(rowsWith(report, 'broke')).toHaveLength(report.rows.length - 1)
  expect(report.exit_code).toBe(0)
})

test('An app that redirects for ever after wrong tokens says neither yes nor no', async () => {
  const report = await audit(MISBEHAVING.redirectsForEver)
  const lost = report.rows.filter(({ verdict }) => verdict !== 'refused')
  const open = { verdict: 'undetermined', reason: 'page_unknown' }
  expect(lost).toMatchObject(Array(report.rows.length - 1).fill(open))
  expect(report.exit_code).toBe(3)
})

test('An audit reads the beginning of 50 MB that an app sends after wrong tokens', async () => {
  const report = await audit(MISBEHAVING.sends50MB)
  expect(rowsWith(report, 'refused')).toEqual(report.rows.map(({ row }) => row))
  expect(report.exit_code).toBe(0)
}, 60_000)

/** More rows than an app refuses before it changes. */
const MANY = ['flow:use']

test('An audit calls nothing refused since an app that dies half-way was last seen alive', async () => {
  const report = await audit(MISBEHAVING.dies, { only: MANY })
  expect(report.notes).toEqual([expect.stringMatching(/^after row \d+ your app no longer lets adult-passport in: /)])
  expect(report.rows.filter(({ reason }) => reason === 'control_lost').length).toBeGreaterThan(50)
  expect(report.exit_code).toBe(3)
}, 60_000)

test('An audit of an app that answers 429 after 20 failures names the remedy', async () => {
  const report = await audit(MISBEHAVING.limitsTheRate, { only: MANY })
  expect(report.notes[0]).toMatch(/^your app answers 429 since row \d+; raise its limit for tests, or --jobs 1$/)
  expect(report.exit_code).toBe(3)
}, 60_000)

test('An audit gives an app that locks users out after 20 failures no credit for that', async () => {
  const report = await audit(MISBEHAVING.locksOut, { only: MANY })
  expect(report.notes).toEqual([expect.stringMatching(/^after row \d+ .*403 at \/callback \("Not you\."\)/)])
  const locked = report.rows.filter(({ evidence = '' }) => evidence.includes('Not you'))
  expect(locked.map(({ verdict }) => verdict)).toEqual(expect.not.arrayContaining(['refused']))
  expect(report.exit_code).toBe(3)
}, 60_000)

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'An audit of an app that answers by chance is never green (seed %i)',
  async (seed) => {
    const exitCode = await audit(byChance(seed)).then(
      (report) => report.exit_code,
      (error: unknown) => (error instanceof AuditProblem ? 2 : error),
    )
    expect([1, 2, 3]).toContain(exitCode)
  },
)

/** Create and Upgrade: how each of them ends, and a wrong answer in each flow. */
const LATER = ['use/create_requested', 'use/code_issued', 'create/created', 'create/access_denied', '*/*.500']
const evidenceOf = (report: AuditReport, id: string) => report.rows.find(({ row }) => row === id)?.evidence

test('In an app whose age signals the sandbox refuses an audit finds that Create and Upgrade do not work, and judges nothing in them', async () => {
  const report = await audit([["provenance: '/veratad/roc'", "provenance: '/elsewhere'"]], { only: LATER })
  expect(rowsWith(report, 'too strict')).toEqual(['use/code_issued', 'use/create_requested', 'create/created'])
  expect(evidenceOf(report, 'create/created')).toMatch(/^the sandbox refuses E2 of your app with 400: SIG-20: /)
  expect(evidenceOf(report, 'use/code_issued')).toMatch(/^the sandbox refuses E5 of your app with 400: SIG-20: /)
  expect(rowsWith(report, 'let in')).toEqual([])
  const masked = { row: 'token/token.500', verdict: 'undetermined', reason: 'masked' }
  expect(report.rows).toContainEqual(expect.objectContaining(masked))
  expect(report.exit_code).toBe(1)
}, 60_000)

test('In an app that sends its upgrade elsewhere an audit finds that Upgrade does not work, and judges Create', async () => {
  const report = await audit([["'/v1/svc/upgrade'", "'/v1/svc/upgrades'"]], { only: LATER })
  expect(rowsWith(report, 'too strict')).toEqual(['use/code_issued'])
  expect(evidenceOf(report, 'use/code_issued')).toMatch(/^after a right access token your app showed 400 at \/callback/)
  expect(rowsWith(report, 'let in')).toEqual([])
  expect(rowsWith(report, 'refused')).toEqual(expect.arrayContaining(['create/access_denied', 'par/par.500']))
}, 60_000)

test('An audit of an app that shows an error after the age key was saved finds that Create does not work', async () => {
  const saved = "response.send('Your age key is saved."
  const report = await audit([[saved, saved.replace('send', 'status(400).send')]], { only: LATER })
  expect(rowsWith(report, 'too strict')).toEqual(['create/created'])
  expect(evidenceOf(report, 'create/created')).toMatch(/^after an age key was saved your app showed 400 at \/created/)
})
