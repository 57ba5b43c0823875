import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signCompact } from '../../src/sandbox/keys/compact-jws.ts'
import { generateCertificate } from '../../src/tls/self-signed.ts'
import { formThatSendsItself } from '../support/forms.ts'
import { readTestKeys } from '../support/keys.ts'
import { shareSandbox } from '../support/sandbox.ts'
import type { Hole } from './shapes/relying-party.ts'
import { type RunningShape, SHAPES, type Shape, startShape } from './shapes/shapes.ts'

const sandbox = await shareSandbox()

/** The wrong answer of each hole: an outcome, or how an answer is brought. */
const HOLES: Readonly<Record<Hole, Way>> = {
  signature: { use: 'id_token.signature_bit_flipped' },
  'signature of unknown keys': { use: 'id_token.foreign_key_unknown_kid' },
  'key of x5c': { forge: signedByX5c },
  nonce: { use: 'id_token.nonce_other' },
  state: { use: 'callback.state_changed' },
  'state of any browser': { brings: 'in another browser' },
  'slot is kept': { brings: 'twice' },
  exp: { use: 'id_token.expired' },
  '55 minutes of leeway': { advanced: -40 * 60 },
  aud: { use: 'id_token.aud_of_other_client' },
  'aud of others by azp': { forge: (token) => signedAgain(token, { aud: ['ak_test_shoes'], azp: 'ak_test_sandbox' }) },
  'truthy answers': { use: 'id_token.age_thresholds.false_strings', persona: 'child-12' },
  'any threshold': { persona: 'teen-16' },
  'lower threshold': { persona: 'teen-16' },
  req_claims_hash: { use: 'id_token.req_claims_hash_weaker' },
  error: { use: 'callback.error_and_success' },
  'last of repeated parameters': { use: 'callback.id_token_twice' },
  'session before the check': { use: 'id_token.expired' },
  'session on failure': { use: 'id_token.expired' },
  'session by a later job': { use: 'id_token.expired' },
  'error of Create': { use: 'create_requested', create: 'access_denied' },
  'failed upgrade': { use: 'code_issued', token: 'token.500' },
}

interface Way {
  readonly use?: string
  readonly create?: string
  readonly token?: string
  readonly persona?: string
  readonly brings?: 'twice' | 'in another browser'
  /** Seconds that the clock of the sandbox is moved. */
  readonly advanced?: number
  forge?(idToken: string): Promise<string>
}

test('There are thirty shapes of apps with names of their own', () => {
  expect(new Set(SHAPES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30)
})

test.each(SHAPES.map((shape) => [shape.name, shape] as const))(
  'An app of the shape "%s" lets adults in alone, and by its hole somebody else',
  async (_name, shape) => {
    const sound = await startShape(shape, sandbox)
    onTestFinished(sound.stop)
    expect(await opened(sound, shape, {})).toEqual(['in'])
    expect(await opened(sound, shape, { persona: 'child-12' })).not.toContain('in')
    expect(await opened(sound, shape, { use: 'access_denied' })).toEqual([])
    const wrong = HOLES[shape.hole]
    const right = wrong.brings === 'twice' ? ['in'] : wrong.create ? ['create begun'] : []
    expect(await opened(sound, shape, wrong)).toEqual(right)

    const holed = await startShape(shape, sandbox, shape.hole)
    onTestFinished(holed.stop)
    await opened(holed, shape, wrong)
    await vi.waitFor(() => expect(holed.admissions.length).toBeGreaterThan(right.length), 5_000)
  },
  15_000,
)

/** Goes through an app in a new browser: what it logs for that. */
async function opened(app: RunningShape, shape: Shape, way: Way): Promise<string[]> {
  const count = app.admissions.length
  const { persona = 'adult-passport' } = way
  if (way.token) await sandbox.next({ flow: 'token', outcome: way.token })
  if (way.advanced) await sandbox.clock.set(new Date(Date.now() + way.advanced * 1000))
  const browser = createBrowser(app)
  for (const { url, form = {} } of shape.before ?? [])
    await browser.send(app.url + url.replace('{n}', String(count)), new URLSearchParams(form))
  let answer = await browser.send(`${app.url}/verify`)
  for (let to = answer.headers.get('location'); to !== null; to = answer.headers.get('location')) {
    const url = new URL(to, app.url)
    const isCallback = url.searchParams.has('state') && url.origin === app.url
    const idToken = url.searchParams.get('id_token')
    if (isCallback && idToken !== null && way.forge) url.searchParams.set('id_token', await way.forge(idToken))
    const isCreate = url.pathname.endsWith('/create')
    const outcome = isCreate ? way.create : way.use
    if (url.hash !== '') {
      answer = await browser.send(app.url + shape.fragment?.post, new URLSearchParams(url.hash.slice(1)))
    } else if (url.origin === new URL(sandbox.baseUrl).origin) {
      const headers = {
        'X-Sandbox-Persona': persona,
        'X-Sandbox-Outcome': outcome ?? (isCreate ? 'created' : 'verified'),
      }
      answer = await fetch(url, { redirect: 'manual', headers })
      const form = answer.status === 200 ? formThatSendsItself(await answer.text()) : undefined
      if (form) answer = await browser.send(form.action, form.fields)
    } else {
      if (isCallback && way.brings === 'twice') await browser.send(url.href)
      const bringer = isCallback && way.brings === 'in another browser' ? createBrowser(app) : browser
      answer = await bringer.send(url.href)
    }
  }
  if ((await answer.text()).includes('Checking'))
    await vi.waitFor(
      async () => expect(await (await browser.send(`${app.url}/status`)).text()).not.toContain('checking'),
      5_000,
    )
  await sandbox.clock.reset()
  return app.admissions.slice(count).map(({ what }) => what)
}

/** Keeps cookies, and follows no redirect. */
function createBrowser(app: RunningShape) {
  const jar = new Map<string, string>()
  return {
    async send(url: string, body?: URLSearchParams): Promise<Response> {
      const headers = { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
      const response = await fetch(new URL(url, app.url), {
        redirect: 'manual',
        headers,
        ...(body && { method: 'POST', body }),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(cookie)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
  }
}

async function signedAgain(idToken: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
  const { RS256 } = await readTestKeys()
  return signCompact(
    { header: { ...decodeProtectedHeader(idToken) }, payload: Object.assign(decodeJwt(idToken), changes) },
    RS256,
  )
}

async function signedByX5c(idToken: string): Promise<string> {
  const { cert, key } = await generateCertificate(['attacker.test'], Date.now())
  const x5c = [cert.replace(/-----[^-]+-----|\s/g, '')]
  const header = { alg: 'ES256', kid: 'attacker', x5c }
  return new SignJWT(decodeJwt(idToken)).setProtectedHeader(header).sign(await importPKCS8(key, 'ES256'))
}
