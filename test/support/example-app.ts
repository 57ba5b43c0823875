import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from 'openid-client'
import { onTestFinished } from 'vitest'
import { ageSignal } from './requests.ts'

/** A relying party as small as it can be: it asks for 18, lets users create and upgrade an age key, and checks what comes. */
export interface ExampleApp {
  /** Opens a page of the app as a browser does, redirects followed, and gives what it says in the end. */
  visit(path: string): Promise<{ result: string; [member: string]: unknown }>
}

const CLIENT_ID = 'ak_test_sandbox'
const CLIENT_SECRET = 'sk_test_sandbox'

/** Starts the app against a sandbox, for one test. */
export async function startExampleApp(baseUrl: string): Promise<ExampleApp> {
  const config = await client.discovery(new URL(`${baseUrl}/v1/oidc/use`), CLIENT_ID, undefined, undefined, {
    execute: [client.allowInsecureRequests, client.useIdTokenResponseType],
  })
  /** `nonce` by `state` of the flows that have begun. */
  const nonces = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', appUrl)
    try {
      if (url.pathname === '/verify') redirect(response, begin())
      else if (url.pathname === '/callback') await used(url, response)
      else if (url.pathname === '/created') await created(url, response)
      else response.writeHead(404).end()
    } catch (error) {
      answer(response, { result: 'failed', reason: String(error) })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const appUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  onTestFinished(() => void server.close())
  return {
    visit: async (path) => (await (await fetch(`${appUrl}${path}`)).json()) as { result: string },
  }

  function begin(): string {
    const [state, nonce] = [randomUUID(), randomUUID()]
    nonces.set(state, nonce)
    return client.buildAuthorizationUrl(config, {
      scope: 'openid svc.upgrade',
      response_mode: 'query',
      redirect_uri: `${appUrl}/callback`,
      claims: JSON.stringify({ age_thresholds: [18] }),
      can_create: 'true',
      state,
      nonce,
    }).href
  }

  async function used(url: URL, response: ServerResponse): Promise<void> {
    const sent = url.searchParams
    const nonce = takeNonce(sent.get('state'))
    const error = sent.get('error')
    if (error !== null) return answer(response, { result: error })
    if (sent.get('create_requested') === 'true') return redirect(response, await push())
    const code = sent.get('code')
    const inFragment = new URL(`${appUrl}/callback`)
    inFragment.hash = new URLSearchParams({
      id_token: sent.get('id_token') ?? '',
      state: sent.get('state') ?? '',
    }).toString()
    const { age_thresholds: thresholds } = await client.implicitAuthentication(config, inFragment, nonce, {
      expectedState: sent.get('state') ?? '',
    })
    if (code !== null) await upgrade(code)
    answer(response, { result: code === null ? 'verified' : 'upgraded', thresholds })
  }

  async function created(url: URL, response: ServerResponse): Promise<void> {
    takeNonce(url.searchParams.get('state'))
    const error = url.searchParams.get('error')
    // The user took longer than the reference lives.
    if (error === 'invalid_request_uri') return redirect(response, await push())
    answer(response, { result: error ?? 'created' })
  }

  async function push(): Promise<string> {
    const state = randomUUID()
    nonces.set(state, '')
    const request = { scope: 'openid', response_type: 'none', client_id: CLIENT_ID, redirect_uri: `${appUrl}/created` }
    const { request_uri } = await call('/v1/oidc/create/par', {
      body: new URLSearchParams({
        ...request,
        client_secret: CLIENT_SECRET,
        type: 'age_verification',
        state,
        authorization_details: JSON.stringify([ageSignal()]),
      }),
    })
    return `${baseUrl}/v1/oidc/create?${new URLSearchParams({ ...request, request_uri: String(request_uri) })}`
  }

  async function upgrade(code: string): Promise<void> {
    const { access_token } = await call('/v1/oidc/use/token', {
      headers: { Authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code }),
    })
    await call('/v1/svc/upgrade', {
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ authorization_details: [ageSignal()] }),
    })
  }

  async function call(path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${baseUrl}${path}`, { method: 'POST', ...init })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Readonly<Record<string, unknown>>
  }

  function takeNonce(state: string | null): string {
    const nonce = nonces.get(state ?? '')
    if (nonce === undefined) throw new Error('this state is of no flow of mine')
    nonces.delete(state ?? '')
    return nonce
  }
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end()
}

function answer(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}
