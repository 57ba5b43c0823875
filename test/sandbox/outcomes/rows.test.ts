import { createHmac, createPublicKey, X509Certificate } from 'node:crypto'
import { compactVerify, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { conclude } from '../../../src/sandbox/decision/conclude.ts'
import certificates from '../../../src/sandbox/keys/attacker-certificates.json' with {
  type: 'json',
}
import { bodyOf, keysOfReply } from '../../../src/sandbox/outcomes/answer-changes.ts'
import { findOutcome, OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome, ReplyBody } from '../../../src/sandbox/outcomes/outcome.ts'
import { createTamperTools } from '../../../src/sandbox/outcomes/tamper-tools.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import type { Callback } from '../../../src/service/oidc/callback.ts'
import { goodReply } from '../../support/good-reply.ts'
import { transactionOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

const EARLIER = { state: 'earlier-state', nonce: 'earlier-nonce', idToken: 'e30.e30.earlier' }

const tenant: Tenant = await createTestTenant()

/** Ends a flow with a row, on a tenant that is the same each time. */
async function answerOf(row: Outcome): Promise<Callback | undefined> {
  await tenant.reset()
  await tenant.moveClock({ set: '2026-01-15T10:00:00Z', freeze: true })
  const isOf = (need: 'can_create' | 'upgrade_scope') => row.needs?.includes(need) === true
  const flow = row.flow === 'use' ? 'use' : 'create'
  const asked = {
    can_create: isOf('can_create') ? 'true' : undefined,
    scope: isOf('upgrade_scope') ? 'openid svc.upgrade' : 'openid',
  }
  const transaction = await transactionOf(flow, tenant.provider, flow === 'use' ? asked : {})
  const persona = await tenant.personas.find('adult-passport')
  const decision = {
    persona,
    outcome: row,
    laterOutcome: undefined,
    decidedBy: 'the test',
    earlier: EARLIER,
  }
  return (await conclude(transaction, decision, { tenant })).callback
}

const OWN_KEYS = await Promise.all(
  (['RS256', 'ES256'] as const).map((alg) => tenant.keys.keyFor(alg)),
)

const PUBLIC_KEYS = OWN_KEYS.map(({ publicJwk }) => publicJwk)

/** Keys are made anew on each machine: these are their names and members. */
const KEY_MEMBERS = OWN_KEYS.flatMap(({ alg, kid, publicJwk: { n, x, y } }) =>
  Object.entries({ kid, n, x, y }).map(
    ([member, value]) => [value ?? '', `${member} of ${alg}`] as const,
  ),
).filter(([value]) => value !== '')

/** Names keys, and shortens what is long. */
function brief(text: string): string {
  const named = KEY_MEMBERS.reduce((all, [value, name]) => all.replaceAll(value, name), text)
  const known = named.replaceAll(/sandbox-rs256-[\w-]{12}/g, 'another kid')
  return known.length <= 120 ? known : `${known.slice(0, 40)}… (${known.length} characters)`
}
const briefValue = (_name: string, value: unknown) => {
  if (typeof value === 'string') return brief(value)
  return JSON.stringify(value)?.startsWith('[[[[')
    ? `${JSON.stringify(value).length} brackets`
    : value
}

const decoded = (part: string) => Buffer.from(part, 'base64url').toString()

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined
  } catch {
    return undefined
  }
}

/** What of a JSON object differs from the good one: its members, else their order and layout. */
function difference(good: string, text: string): unknown {
  const [was, is] = [jsonIn(good), jsonIn(text)]
  if (text === good || !was || !is) return text === good ? undefined : brief(text)
  const members = [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
    .map((name) => [name, name in is ? is[name] : 'ABSENT'])
  return members.length > 0 ? Object.fromEntries(members) : brief(text)
}

/** Verifies by each key and secret that may have signed a token, by name. */
const SIGNERS = (
  await Promise.all(
    OWN_KEYS.map(async ({ alg, publicJwk }) => {
      const certificate = new X509Certificate(Buffer.from(certificates[alg], 'base64'))
      const keys = { own: publicJwk, foreign: certificate.publicKey.export({ format: 'jwk' }) }
      const named = Object.entries(keys).map(async ([name, jwk]) => {
        const key = await importJWK(jwk, alg)
        const options = { algorithms: [alg], crit: { sandbox_extension: true } }
        return [`${name} ${alg}`, (token: string) => compactVerify(token, key, options)] as const
      })
      const key = createPublicKey({ key: { ...publicJwk }, format: 'jwk' })
      const secrets = {
        'public key in PEM': key.export({ type: 'spki', format: 'pem' }),
        'public key in DER': key.export({ type: 'spki', format: 'der' }),
        'member of the public key': publicJwk.n ?? publicJwk.x ?? '',
        'empty secret': '',
      }
      const shared = Object.entries(secrets).map(([name, secret]) => {
        const verify = async (token: string) => {
          const [input, signature] = [
            token.slice(0, token.lastIndexOf('.')),
            token.split('.').at(-1),
          ]
          expect(createHmac('sha256', secret).update(input).digest('base64url')).toBe(signature)
        }
        return [name, verify] as const
      })
      return [...(await Promise.all(named)), ...shared]
    }),
  )
).flat()

async function signerOf(token: string): Promise<string | undefined> {
  const tried = await Promise.allSettled(SIGNERS.map(([, verify]) => verify(token)))
  return SIGNERS[tried.findIndex(({ status }) => status === 'fulfilled')]?.[0]
}

/** What of an id_token differs from the good one, and how it is signed. */
async function tokenDifference(good: string, token: string): Promise<unknown> {
  const [was, is] = [good.split('.'), token.split('.')]
  if (is.length !== 3 || token === EARLIER.idToken) {
    // What is no JSON is of other bytes on each machine.
    const partOf = (part: string) =>
      jsonIn(decoded(part)) ? decoded(part) : `${part.length} characters`
    return is.length === 1 || token === EARLIER.idToken ? token : is.map(partOf)
  }
  const [header = '', payload = '', signature = ''] = is
  return {
    header: difference(decoded(was[0] ?? ''), decoded(header)),
    claims: difference(decoded(was[1] ?? ''), decoded(payload)),
    ...(/=/.test(token) && { padded: true }),
    signature:
      signature === ''
        ? 'none'
        : ((await signerOf(token)) ?? (signature === was[2] ? 'kept' : 'wrong')),
  }
}

/** Good answers by their row and what the request asked for. */
const good = new Map<string, Promise<Callback | undefined>>()

/** What of a callback differs from the one of the row to be accepted. */
async function callbackDifference(row: Outcome): Promise<unknown> {
  const [flow = '', ...name] = row.twin.split('/')
  const twin =
    findOutcome(flow === 'create' ? 'create' : 'use', name.join('/')) ?? expect.fail(row.twin)
  const asked = `${row.twin} ${row.needs}`
  // Each answer resets the tenant: one after the other.
  if (!good.has(asked))
    good.set(asked, answerOf({ ...twin, ...(row.needs && { needs: row.needs }) }))
  const right = await good.get(asked)
  const callback = await answerOf(row)
  if (!right || !callback) return callback ? 'an answer' : 'no answer'
  const [was, is] = [new Map(right.params), callback.params]
  const params = []
  for (const [param, value] of is) {
    const before = was.get(param)
    if (before === value) params.push(param)
    else if (param === 'id_token' && before !== undefined)
      params.push([param, await tokenDifference(before, value)])
    else params.push([param, brief(value)])
  }
  return { ...(callback.mode !== right.mode && { mode: callback.mode }), params }
}

const body = (value: unknown): ReplyBody => ({ kind: 'json', value })

const createTools = (host = tenant) => createTamperTools(host)

async function replyDifference(row: Outcome): Promise<unknown> {
  if (row.seam !== 'reply') throw new Error(`${row.name} is no row of a call`)
  await tenant.reset()
  const good = goodReply(row.flow, tenant.provider.baseUrl, PUBLIC_KEYS)
  const reply =
    (await row.apply?.(good, createTools())) ?? expect.fail(`${row.name} changes nothing`)
  const { headers, body, ...others } = reply
  const changed = difference(JSON.stringify(good), JSON.stringify({ ...others, headers, body }))
  if (body.kind !== 'json' || good.body.kind !== 'json') return changed
  const value = difference(JSON.stringify(good.body.value), JSON.stringify(body.value) ?? '')
  return typeof changed === 'object' ? { ...changed, body: value } : changed
}

test('A reply that is no JSON object has no members', () => {
  const reply = { status: 200, headers: {} }
  expect(bodyOf({ ...reply, body: body({ a: 1 }) })).toEqual({ a: 1 })
  for (const other of [
    body('OK'),
    body([1]),
    { kind: 'text', text: '{}' } as const,
    { kind: 'empty' } as const,
  ]) {
    expect(bodyOf({ ...reply, body: other })).toEqual({})
    expect(keysOfReply({ ...reply, body: other })).toEqual([])
  }
})

test('A row that replays an answer needs an earlier flow', () => {
  expect(() => createTools().earlier).toThrow('a row that replays an answer must need earlier_flow')
})

test('Rows that change keys know the algorithm that a reading sets for all id_tokens', async () => {
  const changed = await createTestTenant({ readings: { signing: 'ES256' } })
  expect(createTools().signingAlgs).toEqual(['RS256'])
  expect(createTools(changed).signingAlgs).toEqual(['ES256'])
})

test('Each row changes a good answer exactly as rows.expected.txt states', async () => {
  const lines: string[] = []
  for (const row of OUTCOMES.filter(({ apply, ending }) => apply ?? ending)) {
    const isCall = row.flow !== 'use' && row.flow !== 'create'
    const changed = isCall ? await replyDifference(row) : await callbackDifference(row)
    lines.push(`${rowId(row)} ${JSON.stringify(changed, briefValue) ?? 'nothing of the reply'}`)
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('rows.expected.txt')
})
