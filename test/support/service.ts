import * as z from 'zod'
import type { Callback } from '../../src/oidc/callback.ts'
import { beginCreate, type CreateDecision, finishCreate } from '../../src/oidc/create.ts'
import type { Provider } from '../../src/oidc/provider.ts'
import { pushRequest } from '../../src/oidc/pushed-request.ts'
import { Refusal } from '../../src/oidc/refusal.ts'
import type { ServerRequest } from '../../src/oidc/request/server-request.ts'
import { exchangeCode } from '../../src/oidc/token.ts'
import { upgradeAgeKey } from '../../src/oidc/upgrade.ts'
import { beginUse, finishUse, type UseDecision } from '../../src/oidc/use.ts'
import type { ReceivedCallback } from './callbacks.ts'
import { ADULT, CHILD, createProvider, type TestProvider } from './provider.ts'
import { ageSignal, basic, type Changes, createRequest, pushedRequest, tokenRequest, useRequest } from './requests.ts'

export const VERIFIED: UseDecision = { kind: 'verified', ageKey: ADULT }
export const DECLINED = { kind: 'error', error: 'access_denied', description: 'The user went back.' } as const

/** The endpoints of the service as functions, in the words of a relying party; a test changes what it is about. */
export interface Service<Ports extends Provider> {
  readonly provider: Ports
  /** E1 from the request to the callback; a refused request gets its callback without a decision. */
  use(changes?: Changes, decision?: UseDecision): Promise<ReceivedCallback>
  /** E1 with the upgrade scope, by the holder of `CHILD`: the code. */
  obtainCode(): Promise<string>
  push(changes?: Changes): ReturnType<typeof pushRequest>
  /** E2: the `request_uri`. */
  obtainRequestUri(changes?: Changes): Promise<string>
  /** E3 from the request to the callback. */
  create(requestUri: string | undefined, changes?: Changes, decision?: CreateDecision): Promise<ReceivedCallback>
  exchange(code: string | undefined, changes?: Changes, credentials?: Credentials): ReturnType<typeof exchangeCode>
  /** E1 and E4: an access token for `CHILD`. */
  obtainToken(): Promise<string>
  upgrade(token: string, details?: unknown): ReturnType<typeof upgradeAgeKey>
}

interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

const SANDBOX_CLIENT: Credentials = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }

export function createService(): Service<TestProvider>
export function createService<Ports extends Provider>(provider: Ports): Service<Ports>
export function createService(provider: Provider = createProvider()): Service<Provider> {
  const service: Service<Provider> = {
    provider,
    async use(changes, decision = VERIFIED) {
      const beginning = beginUse(Object.entries(useRequest(changes)), provider)
      if (beginning.kind === 'refused') return received(beginning.callback)
      return received((await finishUse(beginning.transaction, decision, { provider })).callback)
    },
    async obtainCode() {
      const scope = `openid ${provider.brand}.upgrade`
      const { params } = await service.use({ scope }, { kind: 'verified', ageKey: CHILD })
      return z.string().parse(params['code'])
    },
    push: (changes) => pushRequest(formRequest(pushedRequest(changes)), provider),
    obtainRequestUri: async (changes) => (await service.push(changes)).response.request_uri,
    async create(requestUri, changes, decision = { kind: 'created', holder: 'adult' }) {
      const beginning = await beginCreate(Object.entries(createRequest(requestUri, changes)), provider)
      if (beginning.kind === 'refused') return received(beginning.callback)
      return received((await finishCreate(beginning.transaction, decision, { provider })).callback)
    },
    exchange(code, changes, { clientId, clientSecret } = SANDBOX_CLIENT) {
      const authorization = basic(clientId, clientSecret)
      return exchangeCode(formRequest(tokenRequest(code, changes), { authorization }), provider)
    },
    obtainToken: async () => (await service.exchange(await service.obtainCode())).response.access_token,
    upgrade: (token, details = [ageSignal()]) =>
      upgradeAgeKey(jsonRequest({ authorization_details: details }, `Bearer ${token}`), provider),
  }
  return service
}

type Form = Readonly<Record<string, string>> | string

/** A form as a server-to-server call brings it. */
export const formRequest = (form: Form, changes: Partial<ServerRequest> = {}): ServerRequest => ({
  contentType: 'application/x-www-form-urlencoded',
  authorization: undefined,
  body: Buffer.from(typeof form === 'string' ? form : String(new URLSearchParams(form))),
  ...changes,
})

/** A JSON body, as text when `body` is text, as a server-to-server call brings it. */
export const jsonRequest = (body: unknown, authorization: string | undefined): ServerRequest => ({
  contentType: 'application/json',
  authorization,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

/** The callback as the relying party receives it. */
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
export async function refused(call: () => unknown): Promise<{ status: number; error: string; rules: string[] }> {
  const { status, code, findings } = await refusalOf(call)
  return { status, error: code, rules: findings.filter(({ level }) => level === 'error').map(({ rule }) => rule) }
}
