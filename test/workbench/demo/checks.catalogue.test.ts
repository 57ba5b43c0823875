import { expect, test } from 'vitest'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { CheckResult } from '../../../src/workbench/demo/checks/check.ts'
import { checkUseCallback } from '../../../src/workbench/demo/checks/check-callback.ts'
import {
  type CalledFlow,
  checkReply,
  keySetSchema,
} from '../../../src/workbench/demo/checks/check-reply.ts'
import { checkToken } from '../../../src/workbench/demo/checks/check-token.ts'
import { callOwnServer } from '../../../src/workbench/demo/server-calls.ts'
import { issuerOf, runUse } from '../../outcomes/flows.ts'
import { personasFor } from '../../support/personas-for.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, basic, pushedRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

const failedNames = (checks: readonly CheckResult[]) =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name }) => name)
    .toSorted()

/** The rows of Use that bring an answer, with each persona that shows the fault. */
const ofUse = OUTCOMES.filter(
  ({ flow, family }) => flow === 'use' && family !== 'no_answer',
).flatMap((row) => personasFor(row).map((persona) => ({ name: row.name, persona, row })))

async function fetchKeys() {
  const { body } = await sandbox.request.get('/.well-known/jwks.json')
  return { keys: keySetSchema.parse(body).keys, exchanges: [] }
}

test.each(ofUse)(
  'A Use callback of $name as $persona fails just the checks of its row',
  async ({ row, persona }) => {
    const { session, delivery } = await runUse(sandbox, row, { sandbox_persona: persona })
    if (!delivery) throw new Error(`${row.name} must bring an answer`)
    const { checks } = await checkUseCallback(
      // An address without an answer belongs to any mode.
      {
        encoded: delivery.params.toString(),
        mode: delivery.params.size === 0 ? session.mode : delivery.mode,
      },
      {
        request: {
          client_id: sandbox.client.clientId,
          scope: session.upgrade ? 'openid svc.upgrade' : 'openid',
          response_mode: session.mode,
          state: session.state,
          nonce: session.nonce,
          claims: session.claims,
          can_create: String(session.canCreate),
        },
        issuer: issuerOf(sandbox),
        startedAt: session.startedAt * 1000,
        now: Date.now(),
        fetchKeys,
      },
    )
    expect(failedNames(checks)).toEqual([...row.breaks].toSorted())
  },
)

const FLOWS = ['par', 'token', 'upgrade', 'discovery', 'jwks'] as const
const rp = createRelyingParty(sandbox)

type Called = readonly [path: string, body?: string | URLSearchParams, authorization?: string]

/** Each call as the demo makes it; one without a body is a GET. */
const CALLS: Readonly<Record<CalledFlow, () => Promise<Called>>> = {
  par: async () => ['/v1/oidc/create/par', new URLSearchParams(pushedRequest())],
  async token() {
    const fields = { grant_type: 'authorization_code', code: await rp.obtainCode() }
    const { clientId, clientSecret } = sandbox.client
    return ['/v1/oidc/use/token', new URLSearchParams(fields), basic(clientId, clientSecret)]
  },
  async upgrade() {
    const body = JSON.stringify({ authorization_details: [ageSignal()] })
    return ['/v1/svc/upgrade', body, `Bearer ${await rp.obtainToken()}`]
  },
  discovery: async () => ['/v1/oidc/use/.well-known/openid-configuration'],
  jwks: async () => ['/.well-known/jwks.json'],
}

/**
 * What fails of a call with this outcome; of a key set also what fails of a right token that is
 * verified with it.
 */
async function failedOf(flow: CalledFlow, outcome: string): Promise<string[]> {
  const [path, body = '', authorization] = await CALLS[flow]()
  const type = typeof body === 'string' ? 'application/json' : 'application/x-www-form-urlencoded'
  const headers = {
    'Content-Type': type,
    'X-Sandbox-Outcome': outcome,
    ...(authorization && { authorization }),
  }
  const method = body === '' ? 'GET' : 'POST'
  const reply = await callOwnServer({
    method,
    url: sandbox.baseUrl + path,
    headers,
    body: String(body),
  })
  const { checks, body: json } = checkReply(flow, reply, issuerOf(sandbox))
  const keys = flow === 'jwks' ? keySetSchema.safeParse(json).data?.keys : undefined
  return failedNames([
    ...checks,
    ...(keys ? (await checkToken(await rightToken(), keys)).checks : []),
  ])
}

const rightToken = async () =>
  (await runUse(sandbox, { name: 'verified' })).delivery?.params.get('id_token') ?? ''

const isSlow = ({ name }: { name: string }) => name.endsWith('.slow')

const rows = OUTCOMES.filter((row) => FLOWS.some((flow) => flow === row.flow) && !isSlow(row))

test.each(rows)('A reply of $flow/$name fails just the checks that the row names', async (row) => {
  const flow = FLOWS.find((one) => one === row.flow) ?? expect.fail('the row is of another flow')
  expect(await failedOf(flow, row.name)).toEqual([...row.breaks].toSorted())
})

test('The check of the connection fails for every slow reply', { timeout: 30_000 }, async () => {
  const slow = OUTCOMES.filter(isSlow)
  const failed = await Promise.all(FLOWS.map((flow) => failedOf(flow, `${flow}.slow`)))
  expect(failed).toEqual(slow.map(({ breaks }) => breaks))
})

test('An id_token without kid names no key, also when no key of the key set has one', async () => {
  const [, ...rest] = (await rightToken()).split('.')
  const header = Buffer.from('{"alg":"RS256"}').toString('base64url')
  const keys = (await fetchKeys()).keys.map(({ kid: _, ...key }) => key)
  expect(failedNames((await checkToken([header, ...rest].join('.'), keys)).checks)).toEqual([
    'kid',
    'signature',
  ])
})
