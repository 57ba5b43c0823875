import { expect, test } from 'vitest'
import type { CheckResult } from '../../../src/demo/checks/check.ts'
import { type CalledFlow, checkReply, keySetSchema } from '../../../src/demo/checks/check-reply.ts'
import { checkToken } from '../../../src/demo/checks/check-token.ts'
import { callOwnServer, type ServerCall } from '../../../src/demo/own-server.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { issuerOf, runUse } from '../../outcomes/flows.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, pushedRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

const FLOWS = ['par', 'token', 'upgrade', 'discovery', 'jwks'] as const

const form = (path: string, fields: Readonly<Record<string, string>>): Omit<ServerCall, 'headers'> & Sent => ({
  method: 'POST',
  url: sandbox.baseUrl + path,
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
})

interface Sent {
  readonly headers: Readonly<Record<string, string>>
}

/** Each call as the demo makes it. */
const CALLS: Readonly<Record<CalledFlow, () => Promise<ServerCall & Sent>>> = {
  par: async () => form('/v1/oidc/create/par', pushedRequest()),
  async token() {
    const { clientId, clientSecret } = sandbox.client
    const code = await createRelyingParty(sandbox).obtainCode()
    const call = form('/v1/oidc/use/token', { grant_type: 'authorization_code', code })
    return { ...call, headers: { ...call.headers, Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` } }
  },
  upgrade: async () => ({
    method: 'POST',
    url: `${sandbox.baseUrl}/v1/svc/upgrade`,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${await createRelyingParty(sandbox).obtainToken()}`,
    },
    body: JSON.stringify({ authorization_details: [ageSignal()] }),
  }),
  discovery: async () => ({
    method: 'GET',
    url: `${issuerOf(sandbox)}/.well-known/openid-configuration`,
    headers: {},
  }),
  jwks: async () => ({ method: 'GET', url: `${sandbox.baseUrl}/.well-known/jwks.json`, headers: {} }),
}

/** What fails of a call with this outcome; of a key set also what fails of a right token that is verified with it. */
async function failedOf(flow: CalledFlow, outcome: string): Promise<string[]> {
  const call = await CALLS[flow]()
  const reply = await callOwnServer({ ...call, headers: { ...call.headers, 'X-Sandbox-Outcome': outcome } })
  const { checks, body } = checkReply(flow, reply, issuerOf(sandbox))
  const keys = flow === 'jwks' ? keySetSchema.safeParse(body).data?.keys : undefined
  return namesOf([...checks, ...(keys ? (await checkToken(await rightToken(), keys)).checks : [])])
}

const rightToken = async () => (await runUse(sandbox, { name: 'verified' })).delivery?.params.get('id_token') ?? ''

const namesOf = (checks: readonly CheckResult[]) =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name }) => name)
    .toSorted()

const isSlow = ({ name }: { name: string }) => name.endsWith('.slow')

const rows = OUTCOMES.filter((row) => FLOWS.some((flow) => flow === row.flow) && !isSlow(row))

test.each(rows)('The checks of a reply that fail for $flow/$name are those that the row breaks', async (row) => {
  const flow = FLOWS.find((one) => one === row.flow) ?? expect.fail('the row is of another flow')
  expect(await failedOf(flow, row.name)).toEqual([...row.breaks].toSorted())
})

test('The check of the connection fails for every slow reply', { timeout: 30_000 }, async () => {
  const slow = OUTCOMES.filter(isSlow)
  const failed = await Promise.all(FLOWS.map((flow) => failedOf(flow, `${flow}.slow`)))
  expect(failed).toEqual(slow.map(({ breaks }) => breaks))
})
