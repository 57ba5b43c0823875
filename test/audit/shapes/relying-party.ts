import { createHash, randomUUID } from 'node:crypto'
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  importX509,
  type JWTVerifyGetKey,
  jwtVerify,
  UnsecuredJWT,
} from 'jose'
import * as z from 'zod'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { ageSignal } from '../../support/requests.ts'
import { cookiesOf, type Params, setCookie, type Visit } from './site.ts'

/** The single mistake of an app: a missing check, or an open way in. */
export type Hole =
  | (
      | 'signature'
      | 'signature of unknown keys'
      | 'key of x5c'
      | 'nonce'
      | 'state'
      | 'state of any browser'
    )
  | (
      | 'slot is kept'
      | 'exp'
      | '55 minutes of leeway'
      | 'aud'
      | 'aud of others by azp'
      | 'truthy answers'
    )
  | (
      | 'any threshold'
      | 'lower threshold'
      | 'req_claims_hash'
      | 'error'
      | 'last of repeated parameters'
    )
  | ('session before the check' | 'session on failure' | 'session by a later job')
  | ('error of Create' | 'failed upgrade')

/** What an app did for a user. */
export type Admitted = 'in' | 'create begun' | 'key saved' | 'key upgraded'

/**
 * One line of an app's own log. `began`: the state of the browser's last request. `answered`: the
 * state of the answered request.
 */
export interface Admission {
  readonly what: Admitted
  readonly browser: string
  readonly began: string | undefined
  readonly answered: string | undefined
}

export interface RequestOptions {
  readonly thresholds?: readonly number[]
  readonly mode?: 'query' | 'form_post' | 'fragment'
  readonly canCreate?: boolean
  readonly upgrades?: boolean
  /** Where state and nonce wait for the answer: in a cookie, or on the server. */
  readonly slots?: 'cookie' | 'map'
  /** Path of the callback. */
  readonly callback?: string
  /** Whether the app reads the key set only once. */
  readonly cachesKeys?: boolean
}

/** An answer that the app does not trust. */
export class Refused extends Error {}

export type RelyingParty = ReturnType<typeof createRelyingParty>

const CLIENT_ID = 'ak_test_sandbox'
const CLIENT_SECRET = 'sk_test_sandbox'
const hash = (text: string, bytes: number) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')

/** A careful relying party with one hole. It logs who was let in. */
export function createRelyingParty(
  { baseUrl, url }: Pick<Sandbox, 'baseUrl' | 'url'>,
  hole: Hole | undefined,
  options: RequestOptions = {},
) {
  const { thresholds = [18], mode = 'query', slots = 'cookie', callback = '/callback' } = options
  const claims = JSON.stringify({ age_thresholds: thresholds })
  const has = (one: Hole) => hole === one
  const crossSite = mode === 'form_post' ? '; SameSite=None; Secure' : '; SameSite=Lax'
  const baseUrlOfServer = url + new URL(baseUrl).pathname.replace(/\/$/, '')
  const remoteKeys = createRemoteJWKSet(new URL(`${baseUrlOfServer}/.well-known/jwks.json`), {
    ...(options.cachesKeys
      ? { cooldownDuration: Infinity, cacheMaxAge: Infinity }
      : { cooldownDuration: 0 }),
  })

  const admissions: Admission[] = []
  const sessions = new Set<string>()
  const waiting = new Map<string, { readonly nonce: string; readonly browser: string }>()
  const lastRequests = new Map<string, string>()

  /** The browser, by a cookie that stands for the analytics of the app. */
  function browserOf(visit: Visit): string {
    visit.browser ??= cookiesOf(visit)['visitor']
    if (visit.browser === undefined) {
      visit.browser = randomUUID()
      setCookie(visit, 'visitor', `${visit.browser}${crossSite}; Max-Age=3600`)
    }
    return visit.browser
  }

  /** The URL at the service to which the user is sent. */
  function begin(visit: Visit): string {
    const [state, nonce, browser] = [randomUUID(), randomUUID(), browserOf(visit)]
    lastRequests.set(browser, state)
    if (slots === 'map') waiting.set(state, { nonce, browser })
    else setCookie(visit, 'age_flow', `${state}.${nonce}${crossSite}; HttpOnly; Max-Age=3600`)
    const query = new URLSearchParams({
      scope: options.upgrades ? 'openid svc.upgrade' : 'openid',
      response_type: 'id_token',
      response_mode: mode,
      client_id: CLIENT_ID,
      redirect_uri: `http://${visit.request.headers.host}${callback}`,
      state,
      nonce,
      claims,
      ...(options.canCreate && { can_create: 'true' }),
    })
    return `${baseUrl}/v1/oidc/use?${query}`
  }

  /**
   * The nonce of the answered request, which serves once.
   * @throws Refused when this browser has sent no such request
   */
  function takeSlot(visit: Visit, state: string | undefined): string {
    if (slots === 'map') {
      const slot = waiting.get(state ?? '')
      const isOurs = slot && (has('state of any browser') || slot.browser === browserOf(visit))
      if (state === undefined || !isOurs) throw new Refused('this browser has sent no such request')
      waiting.delete(state)
      visit.answered = state
      return slot.nonce
    }
    const [sent = '', nonce = ''] = cookiesOf(visit)['age_flow']?.split('.') ?? []
    if (sent === '' || (state !== sent && !has('state')))
      throw new Refused('this browser has sent no such request')
    if (!has('slot is kept')) setCookie(visit, 'age_flow', `${crossSite}; HttpOnly; Max-Age=0`)
    visit.answered = sent
    return nonce
  }

  /** Checks an answer; `answers` are by threshold. @throws Refused, or an error of jose */
  async function check(visit: Visit, params: Params) {
    const one = (name: string) => {
      const value = params[name]
      if (value === undefined || typeof value === 'string') return value
      if (!has('last of repeated parameters')) throw new Refused(`${name} is not one text`)
      return String(Object.values(z.looseObject({}).or(z.array(z.unknown())).parse(value)).at(-1))
    }
    const [state, error, wish, idToken, code] = [
      'state',
      'error',
      'create_requested',
      'id_token',
      'code',
    ].map(one)
    const nonce = takeSlot(visit, state)
    const count = [has('error') ? undefined : error, wish, idToken].filter(
      (each) => each !== undefined,
    ).length
    if (count !== 1) throw new Refused('an answer is a token, a wish or an error')
    if (error !== undefined && !has('error')) return { kind: 'error', error } as const
    if (wish !== undefined && (wish !== 'true' || !options.canCreate))
      throw new Refused('no such wish was offered')
    if (wish !== undefined) return { kind: 'create_requested' } as const
    return {
      kind: 'token',
      code,
      answers: await readToken(idToken ?? '', { nonce, code }),
    } as const
  }

  const keyOf: JWTVerifyGetKey = async (header, token) => {
    const [certificate] = (has('key of x5c') && header.x5c) || []
    if (certificate === undefined) return remoteKeys(header, token)
    return importX509(
      `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`,
      header.alg ?? 'RS256',
    )
  }

  async function readToken(
    idToken: string,
    { nonce, code }: { nonce: string; code: string | undefined },
  ) {
    if (idToken.length > 8192) throw new Refused('no id_token is that long')
    const checks = {
      issuer: `${baseUrl}/v1/oidc/use`,
      ...(!has('aud') && !has('aud of others by azp') && { audience: CLIENT_ID }),
      ...(has('55 minutes of leeway') && { clockTolerance: 55 * 60 }),
    }
    // Only the claims of the token, checked as usual.
    const decode = () =>
      UnsecuredJWT.decode(['eyJhbGciOiJub25lIn0', idToken.split('.')[1], ''].join('.'), checks)
    const verify = async () =>
      has('signature')
        ? decode()
        : jwtVerify(idToken, keyOf, { ...checks, algorithms: ['RS256', 'ES256'] }).catch(
            (error: unknown) => {
              if (has('signature of unknown keys') && error instanceof errors.JWKSNoMatchingKey)
                return decode()
              if (has('exp') && error instanceof errors.JWTExpired) return error
              throw error
            },
          )
    const { payload } = await verify()
    const {
      aud,
      azp,
      exp = Infinity,
      iat = 0,
      sub,
      nonce: sentNonce,
      req_claims_hash,
      c_hash,
    } = payload
    const isForUs =
      has('aud') || String(aud) === CLIENT_ID || (has('aud of others by azp') && azp === CLIENT_ID)
    const given = z.record(z.string(), z.unknown()).parse(payload['age_thresholds'])
    const isOurs =
      isForUs &&
      (azp === undefined || azp === CLIENT_ID || has('aud')) &&
      (sentNonce === nonce || has('nonce')) &&
      exp - iat <= 600 &&
      /^.{1,255}$/s.test(z.string().catch('').parse(sub)) &&
      (has('signature') || decodeProtectedHeader(idToken).kid !== '') &&
      (req_claims_hash === hash(claims, 32) || has('req_claims_hash')) &&
      c_hash === (code && hash(code, 16)) &&
      Object.keys(given).length === thresholds.length
    if (!isOurs) throw new Refused('this token answers another request')
    const answers = thresholds.map((threshold) => {
      const answer = Object.hasOwn(given, threshold) ? given[threshold] : undefined
      if (typeof answer !== 'boolean' && !has('truthy answers'))
        throw new Refused(`${threshold} was not answered`)
      return [String(threshold), Boolean(answer)] as const
    })
    return Object.fromEntries(answers)
  }

  /** Whether the answers open what needs a threshold, by default the highest. */
  function opens(
    answers: Readonly<Record<string, boolean>>,
    threshold = Math.max(...thresholds),
  ): boolean {
    if (has('any threshold')) return Object.values(answers).includes(true)
    return answers[has('lower threshold') ? Math.min(...thresholds) : threshold] === true
  }

  /** The present user, for `log`. */
  const whoOf = (visit: Visit): Omit<Admission, 'what'> => {
    const browser = browserOf(visit)
    const { state } = visit.query
    const answered = visit.answered ?? (typeof state === 'string' ? state : undefined)
    return { browser, began: lastRequests.get(browser), answered }
  }
  const log = (who: Omit<Admission, 'what'>, what: Admitted = 'in') =>
    void admissions.push({ ...who, what })

  /** Gives the browser a session that opens nothing yet; the returned function lets the user in. */
  function openSession(visit: Visit): () => void {
    const [sid, who] = [randomUUID(), whoOf(visit)]
    setCookie(visit, 'sid', `${sid}; HttpOnly; SameSite=Lax`)
    return () => {
      sessions.add(sid)
      log(who)
    }
  }
  const signIn = (visit: Visit) => openSession(visit)()
  const isMember = (visit: Visit) => sessions.has(cookiesOf(visit)['sid'] ?? '')
  function signOut(visit: Visit): void {
    sessions.delete(cookiesOf(visit)['sid'] ?? '')
    setCookie(visit, 'sid', '; Max-Age=0')
  }

  async function call(path: string, init: RequestInit): Promise<unknown> {
    const signal = AbortSignal.timeout(5000)
    const response = await fetch(baseUrlOfServer + path, {
      method: 'POST',
      redirect: 'error',
      signal,
      ...init,
    })
    const body: unknown = await response.json()
    if (!response.ok) throw new Refused(`${path}: ${response.status}`)
    return body
  }

  /**
   * Pushes the age that the app has verified.
   * @returns the URL at the service where the user saves the age; its state waits in a cookie
   */
  async function beginCreate(visit: Visit, path: string): Promise<string> {
    log(whoOf(visit), 'create begun')
    const state = randomUUID()
    const redirect_uri = `http://${visit.request.headers.host}${path}`
    const common = { client_id: CLIENT_ID, scope: 'openid', response_type: 'none', redirect_uri }
    lastRequests.set(browserOf(visit), state)
    setCookie(visit, 'age_create', `${state}; SameSite=Lax; HttpOnly`)
    const secrets = {
      client_secret: CLIENT_SECRET,
      authorization_details: JSON.stringify([ageSignal()]),
    }
    const body = new URLSearchParams({ ...common, ...secrets, type: 'age_verification', state })
    const { request_uri } = z
      .object({ request_uri: z.string() })
      .parse(await call('/v1/oidc/create/par', { body }))
    return `${baseUrl}/v1/oidc/create?${new URLSearchParams({ ...common, request_uri })}`
  }

  /** Whether the age key was saved. @throws Refused when this browser has sent no such request */
  function endCreate(visit: Visit, { state, error }: Params): boolean {
    const sent = cookiesOf(visit)['age_create']
    if (sent === undefined || state !== sent)
      throw new Refused('this browser has sent no such request')
    setCookie(visit, 'age_create', '; Max-Age=0')
    visit.answered = sent
    const isSaved = error === undefined || has('error of Create')
    if (isSaved) log(whoOf(visit), 'key saved')
    return isSaved
  }

  /**
   * Exchanges the code and upgrades the user's age key.
   * @throws Refused and others when that failed
   */
  async function upgrade(visit: Visit, code: string): Promise<void> {
    const exchangeAndUpgrade = async () => {
      const basic = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')
      const body = new URLSearchParams({ grant_type: 'authorization_code', code })
      const token = await call('/v1/oidc/use/token', {
        headers: { Authorization: `Basic ${basic}` },
        body,
      })
      const shape = z.object({
        access_token: z.string().min(1),
        token_type: z.string().regex(/^bearer$/i),
      })
      const { access_token } = shape.parse(token)
      const upgraded = await call('/v1/svc/upgrade', {
        headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ authorization_details: [ageSignal()] }),
      })
      if (upgraded !== 'OK') throw new Refused('the age key was not upgraded')
    }
    await exchangeAndUpgrade().catch((error: unknown) => {
      if (!has('failed upgrade')) throw error
    })
    log(whoOf(visit), 'key upgraded')
  }

  /** Whether an answer opens what the app guards. @throws Refused, or an error of jose */
  async function admits(visit: Visit, params: Params): Promise<boolean> {
    const answer = await check(visit, params)
    return answer.kind === 'token' && opens(answer.answers)
  }

  const users = { whoOf, log, openSession, signIn, signOut, isMember, admissions }
  return { has, ...users, begin, check, admits, opens, beginCreate, endCreate, upgrade }
}
