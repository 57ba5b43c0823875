import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import type { Sandbox, SandboxOptions } from '../../src/server/create-sandbox.ts'
import { tagsOf } from '../support/markup.ts'
import {
  type Changes,
  claims,
  createRequest,
  REDIRECT_URI,
  useRequest,
} from '../support/requests.ts'
import type { Delivery, Session } from './correct-client.ts'

export const rowsOf = (flow: Outcome['flow'], correctClient: Outcome['correctClient']) =>
  OUTCOMES.filter((row) => row.flow === flow && row.correctClient === correctClient)

const CREDENTIALS = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }

/** The client of the tests, declared with an algorithm of its own. */
export const CLIENT_WITH_ES256: SandboxOptions = {
  builtinClient: false,
  clients: [{ ...CREDENTIALS, signingAlg: 'ES256', redirectUris: [REDIRECT_URI] }],
}

export const issuerOf = (sandbox: Sandbox) => `${sandbox.baseUrl}/v1/oidc/use`

/** What an earlier flow sends: always the same, so that a run can be repeated byte by byte. */
const EARLIER = { state: 'state-of-an-earlier-flow', nonce: 'nonce-of-an-earlier-flow' }

/**
 * Begins a Use flow that has what the outcome needs, an earlier flow among it, and ends with it.
 */
export async function runUse(
  sandbox: Sandbox,
  outcome: Pick<Outcome, 'name' | 'needs'>,
  changes: Changes = {},
): Promise<{ session: Session; delivery: Delivery | undefined }> {
  if (outcome.needs?.includes('earlier_flow')) await runUse(sandbox, { name: 'verified' }, EARLIER)
  const session: Session = {
    mode: 'fragment',
    state: randomUUID(),
    nonce: randomUUID(),
    claims: claims(),
    canCreate: outcome.needs?.includes('can_create') ?? false,
    upgrade: outcome.needs?.includes('upgrade_scope') ?? false,
    startedAt: Math.floor(Date.now() / 1000),
  }
  const request = useRequest({
    ...{ state: session.state, nonce: session.nonce, claims: session.claims },
    scope: session.upgrade ? 'openid svc.upgrade' : 'openid',
    can_create: session.canCreate ? 'true' : undefined,
    sandbox_outcome: outcome.name,
    ...changes,
  })
  return {
    session,
    delivery: await visit(`${sandbox.baseUrl}/v1/oidc/use?${new URLSearchParams(request)}`),
  }
}

/** Sends the user of a pushed request to the Create flow, which ends as asked. */
export const runCreate = (sandbox: Sandbox, requestUri: string, outcome: string) =>
  visit(
    `${sandbox.baseUrl}/v1/oidc/create?${new URLSearchParams(createRequest(requestUri, { sandbox_outcome: outcome }))}`,
  )

/** Where the browser is sent, as far as a huge header can be read; `undefined` when it stays. */
function visit(url: string): Promise<Delivery | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { maxHeaderSize: 256 * 1024 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        const status = response.statusCode ?? 0
        if (status >= 400) reject(new Error(`${status}: ${body.slice(0, 2_000)}`))
        else resolve(deliveryOf(response.headers.location, body))
      })
    }).on('error', reject)
  })
}

function deliveryOf(location: string | undefined, body: string): Delivery | undefined {
  if (location === undefined) {
    const isForm = tagsOf(body).some(
      ({ name, attributes }) => name === 'form' && 'data-submit' in attributes,
    )
    return isForm ? { mode: 'form_post', params: new URLSearchParams(fieldsOf(body)) } : undefined
  }
  const { hash, search } = new URL(location)
  return hash === ''
    ? { mode: 'query', params: new URLSearchParams(search) }
    : { mode: 'fragment', params: new URLSearchParams(hash.slice(1)) }
}

const fieldsOf = (page: string): string[][] =>
  tagsOf(page).flatMap(({ attributes: { name, value } }) =>
    name !== undefined && value !== undefined ? [[name, value]] : [],
  )
