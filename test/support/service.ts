import * as z from 'zod'
import type { Callback } from '../../src/service/oidc/callback.ts'
import { beginCreate, type CreateDecision, finishCreate } from '../../src/service/oidc/create.ts'
import type { Provider } from '../../src/service/oidc/provider.ts'
import { pushRequest } from '../../src/service/oidc/pushed-request.ts'
import { Refusal } from '../../src/service/oidc/refusal.ts'
import { bearerToken } from '../../src/service/oidc/request/client-auth.ts'
import { decodePairs } from '../../src/service/oidc/request/parameters.ts'
import type { ServerRequest } from '../../src/service/oidc/request/server-request.ts'
import { accessTokens, exchangeCode, findCode } from '../../src/service/oidc/token.ts'
import { upgradeAgeKey } from '../../src/service/oidc/upgrade.ts'
import { beginUse, finishUse, type UseDecision } from '../../src/service/oidc/use.ts'
import type { ReceivedCallback } from './callbacks.ts'
import { ADULT, CHILD, createProvider, type TestProvider } from './provider.ts'
import {
  ageSignal,
  basic,
  type Changes,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from './requests.ts'

export const VERIFIED: UseDecision = { kind: 'verified', ageKey: ADULT }
const CREATED: CreateDecision = { kind: 'created', holder: 'adult' }
export const DECLINED = {
  kind: 'error',
  error: 'access_denied',
  description: 'The user went back.',
} as const

const SANDBOX_CLIENT = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }

export type Service<Ports extends Provider> = ReturnType<typeof serviceOf<Ports>>

export function createService(): Service<TestProvider>
export function createService<Ports extends Provider>(provider: Ports): Service<Ports>
export function createService(provider: Provider = createProvider()): Service<Provider> {
  return serviceOf(provider)
}

/** A valid request of a flow, as it waits for its user. */
export async function transactionOf(
  flow: 'use' | 'create',
  provider: Provider,
  changes: Changes = {},
) {
  const requestUri =
    flow === 'create' ? await createService(provider).obtainRequestUri() : undefined
  const beginning =
    flow === 'use'
      ? beginUse(Object.entries(useRequest(changes)), provider)
      : await beginCreate(Object.entries(createRequest(requestUri, changes)), provider)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  return beginning.transaction
}

/** E4, with the record of the code that the form names, as the routes find it. */
export async function exchangeBy(request: ServerRequest, provider: Provider) {
  const code = request.formPairs.find(([name]) => name === 'code')?.[1]
  return exchangeCode(
    request,
    provider,
    code === undefined ? undefined : await findCode(code, provider),
  )
}

/** E5, with the record of the access token that the header names. */
export async function upgradeBy(request: ServerRequest, provider: Provider) {
  const token = bearerToken(request.authorization)
  return upgradeAgeKey(
    request,
    provider,
    token === undefined ? undefined : await accessTokens(provider).get(token),
  )
}

/**
 * The endpoints of the service as functions, in the words of a relying party; a test changes what
 * it is about.
 */
function serviceOf<Ports extends Provider>(provider: Ports) {
  /**
   * E1 from the request to the callback; a refused request gets its callback without a decision.
   */
  async function use(changes?: Changes, decision = VERIFIED) {
    const beginning = beginUse(Object.entries(useRequest(changes)), provider)
    if (beginning.kind === 'refused') return received(beginning.callback)
    return received((await finishUse(beginning.transaction, decision, { provider })).callback)
  }
  /** E1 with the upgrade scope, by the holder of `CHILD`: the code. */
  async function obtainCode() {
    const { params } = await use(
      { scope: `openid ${provider.brand}.upgrade` },
      { kind: 'verified', ageKey: CHILD },
    )
    return z.string().parse(params['code'])
  }
  const push = (changes?: Changes) => pushRequest(formRequest(pushedRequest(changes)), provider)
  /** E2: the `request_uri`. */
  const obtainRequestUri = async (changes?: Changes) => (await push(changes)).response.request_uri
  /** E3 from the request to the callback. */
  async function create(
    requestUri: string | undefined,
    changes?: Changes,
    decision: CreateDecision = CREATED,
  ) {
    const beginning = await beginCreate(
      Object.entries(createRequest(requestUri, changes)),
      provider,
    )
    if (beginning.kind === 'refused') return received(beginning.callback)
    return received((await finishCreate(beginning.transaction, decision, { provider })).callback)
  }
  function exchange(
    code: string | undefined,
    changes?: Changes,
    { clientId, clientSecret } = SANDBOX_CLIENT,
  ) {
    const authorization = basic(clientId, clientSecret)
    return exchangeBy(formRequest(tokenRequest(code, changes), { authorization }), provider)
  }
  /** E1 and E4: an access token for `CHILD`. */
  const obtainToken = async () => (await exchange(await obtainCode())).response.access_token
  const upgrade = (token: string, details: unknown = [ageSignal()]) =>
    upgradeBy(jsonRequest({ authorization_details: details }, `Bearer ${token}`), provider)
  return {
    provider,
    use,
    obtainCode,
    push,
    obtainRequestUri,
    create,
    exchange,
    obtainToken,
    upgrade,
  }
}

type Form = Readonly<Record<string, string>> | string

export const formRequest = (
  form: Form,
  changes: Partial<Omit<ServerRequest, 'formPairs'>> = {},
): ServerRequest =>
  withPairs({
    contentType: 'application/x-www-form-urlencoded',
    authorization: undefined,
    body: Buffer.from(typeof form === 'string' ? form : String(new URLSearchParams(form))),
    ...changes,
  })

/** A JSON body, as text when `body` is text, as a server-to-server call brings it. */
export const jsonRequest = (body: unknown, authorization: string | undefined): ServerRequest =>
  withPairs({
    contentType: 'application/json',
    authorization,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  })

const withPairs = (request: Omit<ServerRequest, 'formPairs'>): ServerRequest => ({
  ...request,
  get formPairs() {
    return decodePairs(Buffer.from(request.body).toString('utf8'))
  },
})

export const received = ({ mode, redirectUri, params }: Callback): ReceivedCallback => ({
  mode,
  address: redirectUri,
  params: Object.fromEntries(params),
})

/** The `Refusal` of a call. @throws Error when the call is not refused */
export async function refusalOf(call: () => unknown): Promise<Refusal> {
  try {
    await call()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('the call was not refused')
}

/** What a refused call says: its status, error code and the rules at fault. */
export async function refused(
  call: () => unknown,
): Promise<{ status: number; error: string; rules: string[] }> {
  const { status, code, findings } = await refusalOf(call)
  return {
    status,
    error: code,
    rules: findings.filter(({ level }) => level === 'error').map(({ rule }) => rule),
  }
}
