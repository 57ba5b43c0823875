import { expect, test } from 'vitest'
import { AuditProblem } from '../../src/audit/audit-problem.ts'
import type { AuditRunOptions } from '../../src/audit/options.ts'
import { selectRows } from '../../src/audit/trials/rows/select-rows.ts'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Changes } from '../support/express-example.ts'
import { textOf } from '../support/markup.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, FRAGMENT, SAMPLE, said } from './apps/audit-example.ts'
import { findBrokenApp, rowsLetIn } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()

const APP = 'const app = express()\n'
const UNTRUSTED = "  response.status(400).send('This answer cannot be trusted.')\n"
const SAVED = `  response.send('Your age key is saved. <a href="/verify">Use it</a>')\n`
const UPGRADED = `  response.send('Your age key says more now. <a href="/verify">Try again</a>')\n`

/**
 * The Express example with all its checks, with other ways to say yes and no; `shapes/` has more.
 */
const ANSWERING: Readonly<Record<string, Changes>> = {
  'begins Use again after Create and after an upgrade': [
    [SAVED, "  response.redirect('/verify')\n"],
    [UPGRADED, "  response.redirect('/verify')\n"],
  ],
  'begins Use again after an answer that it does not trust': [
    [UNTRUSTED, "  response.redirect('/verify')\n"],
  ],
}

/** The checks that each of them loses. */
const WITHOUT_CHECKS: Changes = [
  ['    payload.nonce === nonce &&\n', ''],
  ["  asked(request.query, { request, response, cookie: 'age_create' })\n", ''],
]

const idsOf = (...only: string[]) =>
  selectRows({ only })
    .filter(({ correctClient }) => correctClient === 'refuse')
    .map(rowId)
const NONCE = idsOf('family:nonce')
const STATE_OF_CREATE = idsOf('create/callback.state_*', 'create/callback.empty')

const WAYS = Object.entries(ANSWERING)

test.each(WAYS)(
  'An audit finds nothing in an app that checks everything and %s',
  async (_way, changes) => {
    expect(said(await auditExample(sandbox, changes, { only: SAMPLE }))).toEqual([])
  },
)

test.each(WAYS)(
  'An audit lets nothing pass for refused in an app that compares neither a nonce nor the state of Create and %s',
  async (_way, changes) => {
    const right = [
      'use/verified',
      'use/id_token.iss_missing',
      'create/created',
      'create/access_denied',
    ]
    const wrong = [...NONCE, ...STATE_OF_CREATE]
    const found = said(
      await auditExample(sandbox, [...changes, ...WITHOUT_CHECKS], { only: [...wrong, ...right] }),
    )
    expect(found.filter((row) => row.startsWith('use/'))).toEqual(NONCE.toSorted())
    // An app that always begins again shows neither a yes nor a no, so its rows are undetermined.
    const named = found.map((row) => row.replace(/ undetermined page_unknown .*/, ''))
    expect(named.filter((row) => !right.includes(row)).toSorted()).toEqual(wrong.toSorted())
  },
)

const press = (action: string) =>
  `<form><button>Other</button></form><form action="${action}"><button>Go</button></form>`

/** The Express example, which begins Create and Upgrade on pages of their own. */
const ON_PAGES: Changes = [
  [
    APP,
    `${APP}app.get('/keep', (_request, response) => response.send('${press('/create')}'))
app.get('/create', create)
app.get('/more', (_request, response) => response.send('${press('/elsewhere')}'))
app.post('/upgrade', ({ headers }, response) => upgrade(/age_code=([^;]+)/.exec(headers.cookie)[1], response))\n`,
  ],
  ['return create(request, response)\n', "return response.send('There is no age key yet.')\n"],
  [
    'return upgrade(code, response)\n',
    "return response.cookie('age_code', code, COOKIE).send('Your key says too little.')\n",
  ],
]

test('An audit begins later flows on their pages as begin says', async () => {
  const begin = { request: { url: '/upgrade', method: 'POST' } } as const
  const { rows } = await auditExample(sandbox, ON_PAGES, {
    only: ['create/access_denied', 'upgrade/upgrade.500'],
    create: { start: { url: '/keep', begin: { click: 'Go' } } },
    upgrade: { start: { url: '/more', begin } },
  })
  const verdicts = rows.map(({ row, verdict }) => `${row} ${verdict}`)
  expect(verdicts.toSorted()).toEqual(
    expect.arrayContaining(['create/access_denied refused', 'upgrade/upgrade.500 refused']),
  )
})

/** Rows that depend on how parameters reach the app, and a row of each other kind of answer. */
const PARAMETERS = [
  'use/callback.*',
  'use/access_denied',
  'use/create_requested',
  'use/id_token.expired',
]

const BROKEN = ['compares no nonce', 'begins to create whatever create_requested says'].map(
  findBrokenApp,
)
const BROKEN_BY_FORM = [...FRAGMENT.byForm, ...BROKEN.flatMap(({ changes }) => changes)]
const TWICE = ['use/callback.id_token_twice', 'use/callback.state_twice']

test.each([
  ['form', BROKEN_BY_FORM, BROKEN.flatMap(rowsLetIn).map(rowId).toSorted()],
  // Of a repeated parameter the last value wins.
  ['json', FRAGMENT.byFetch, TWICE],
] as const)(
  'An audit by HTTP of an app whose page passes the fragment on as %s finds its faults by their rows alone',
  async (as, changes, finds) => {
    const only = [...PARAMETERS, ...finds]
    const report = await auditExample(sandbox, changes, {
      fragment: { post: '/answer', as },
      only,
      failOn: 'may',
    })
    expect(said(report)).toEqual(finds)
    expect(report.totals.refused).toBeGreaterThan(15)
    expect(report.exit_code).toBe(1)
  },
)

test('An audit leaves a sandbox as it found the sandbox', async () => {
  const { personas, expectations, flows, coverage, request } = sandbox
  await sandbox.next({ flow: 'use', outcome: 'access_denied', match: { state: 'of a test' } })
  const state = async () => {
    const seen = await coverage.get()
    const keySet = (await request.get('/.well-known/jwks.json')).body
    // With clients, readings and the running clock.
    const tenants = (await request.get('/_sandbox/tenants')).text.replaceAll(
      /"(?:base|now)":"[^"]+"/g,
      '',
    )
    const isRotated = /Keys rotated/.test(
      textOf((await request.get('/_sandbox/console/tenants')).text),
    )
    // For a request that was pushed last, the browser has said nothing.
    const shown = (await flows.list()).filter(({ summary }) => !summary.startsWith('pushed: waits'))
    const keys = (await personas.list()).map(({ name, age_key }) => [name, age_key?.signals.length])
    const lists = [keys, await expectations.list(), shown]
    return { lists, seen, keySet, tenants, isRotated }
  }
  const before = await state()
  const only = [
    ...SAMPLE,
    'use/id_token.key_rotated',
    'use/code_issued',
    'create/created',
    'create/created_new',
  ]
  await auditExample(sandbox, [], { only })
  expect(await state()).toEqual(before)
  const interrupt = new AbortController()
  const onProgress: AuditRunOptions['onProgress'] = ({ stage }) =>
    void (stage === 'row' && interrupt.abort())
  await auditExample(sandbox, [], { only, signal: interrupt.signal, onProgress })
  expect(await state()).toEqual(before)
  expect((await flows.list({ audit: 'only', limit: 2_000 })).length).toBeGreaterThan(30)
})

const CALLBACK = "app.post('/callback', express.urlencoded(), async (request, response) => {\n"

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
  if (isLucky()) return response.send('Welcome, you are 18.')
  response.status(400).send('This answer cannot be trusted.')
})
${CALLBACK}`,
  ],
]

/** Three wrong tokens, and an answer that is no token. */
const SOME = ['use/id_token.signature_*', 'use/id_token.nonce_other', 'use/access_denied']

test.each([1, 2, 3])(
  'An audit of an app that answers by chance is never green (seed %i)',
  async (seed) => {
    const exitCode = await auditExample(sandbox, byChance(seed), {
      only: SOME,
      timeoutSeconds: 5,
    }).then(
      (report) => report.exit_code,
      (error: unknown) => (error instanceof AuditProblem ? 2 : error),
    )
    expect(exitCode).toBeOneOf([1, 2, 3])
  },
)
