import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { Auth, type AuthConfig } from '@auth/core'
import express, { type Request } from 'express'
import { InMemoryWebStorage, OidcClient, WebStorageStateStore } from 'oidc-client-ts'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createAppBrowser } from '../docs/app-browser.ts'
import { REDIRECT_URI } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { startAppServer } from './app-server.ts'

const REFUSED = 'unsupported_response_type'
const CLAIMS = '{"age_thresholds":[18]}'

/** A sandbox for one test: its address for Use, and the credentials of its client. */
async function start() {
  const sandbox = await startSandbox({ persona: 'adult-passport' })
  return { sandbox, use: `${sandbox.baseUrl}/v1/oidc/use`, ...sandbox.client }
}

/** The endpoints that the library called, without discovery and the key set. */
const callsOf = ({ calls }: TestSandbox) =>
  calls.map(({ endpoint }) => endpoint).filter((one) => one !== 'E6')

/** The strategy has no types: what is called of it. */
type Strategy = new (
  settings: object,
  verify: () => void,
) => { authenticate(request: Request, options: object): void }
const strategy = z.custom<Strategy>((value) => typeof value === 'function')

test('passport-openidconnect ends with the error of the service, and sends the browser there once', async () => {
  const { sandbox, use, clientId, clientSecret } = await start()
  const { url, serve } = await startAppServer()
  const OpenIdConnect = strategy.parse(createRequire(import.meta.url)('passport-openidconnect'))
  const endpoints = {
    issuer: use,
    authorizationURL: use,
    tokenURL: `${use}/token`,
    callbackURL: `${url}/callback`,
  }
  const settings = {
    ...endpoints,
    clientID: clientId,
    clientSecret,
    nonce: true,
    claims: { age_thresholds: [18] },
  }
  const age = new OpenIdConnect(settings, () => expect.fail('it signed a user in'))
  // A session for the only user.
  const session = {}
  serve(
    express().get(['/verify', '/callback'], (request, response) => {
      // What passport does with a strategy.
      const ends = {
        redirect: (address: string) => response.redirect(address),
        error: (error: { code: string }) => response.status(500).send(error.code),
      }
      Object.assign(Object.create(age), ends).authenticate(Object.assign(request, { session }), {})
    }),
  )
  expect(await createAppBrowser().visit(`${url}/verify`)).toMatchObject({
    status: 500,
    text: REFUSED,
  })
  expect(callsOf(sandbox)).toEqual(['E1'])
})

test('Auth.js ends on its sign-in page, and logs the error of the service', async () => {
  const { sandbox, use, clientId, clientSecret } = await start()
  const { url, serve } = await startAppServer()
  const log: unknown[] = []
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'not-a-real-secret',
    trustHost: true,
    debug: true,
    logger: {
      warn: () => {},
      error: ({ name }) => log.push(name),
      debug: (_message, details) => log.push(details),
    },
    providers: [
      {
        id: 'age',
        name: 'Age key',
        type: 'oidc',
        issuer: use,
        authorization: { url: use, params: { scope: 'openid', claims: CLAIMS } },
        checks: ['state', 'nonce'],
        token: { url: `${use}/token` },
        // The service has none, and without one the library does not read the answer.
        userinfo: { url: `${sandbox.baseUrl}/no-userinfo` },
        clientId,
        clientSecret,
      },
    ],
  }
  serve(async (request, response) => {
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, `${value}`]),
    )
    const body = request.method === 'POST' ? await text(request) : null
    const sent = new globalThis.Request(`${url}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      body,
    })
    const answer = await Auth(sent, config)
    response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  const browser = createAppBrowser()
  const { csrfToken } = JSON.parse((await browser.send(`${url}/auth/csrf`)).text)
  const form = new URLSearchParams({ csrfToken, callbackUrl: url })
  const { url: end } = await browser.visit(`${url}/auth/signin/age`, form)
  expect(end).toContain('/auth/signin?error=OAuthCallbackError')
  expect(log).toContainEqual(expect.objectContaining({ providerId: 'age', error: REFUSED }))
  expect(callsOf(sandbox)).toEqual(['E1'])
})

test('oidc-client-ts reports the error of the service, and refuses to ask for an id_token alone', async () => {
  const { use, clientId } = await start()
  const client = new OidcClient({
    authority: use,
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  })
  const { url } = await client.createSigninRequest({
    nonce: 'nonce-1',
    extraQueryParams: { claims: CLAIMS },
  })
  const { headers } = await fetch(url, { redirect: 'manual' })
  await expect(client.processSigninResponse(headers.get('location') ?? '')).rejects.toMatchObject({
    error: REFUSED,
  })
  await expect(client.createSigninRequest({ response_type: 'id_token' })).rejects.toThrow(
    'Only the Authorization Code flow (with PKCE) is supported',
  )
})
