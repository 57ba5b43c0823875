import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { parse as parseCookie } from 'cookie'
import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as z from 'zod'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { ageSignal } from '../../support/requests.ts'
import { startAppServer } from '../app-server.ts'
import { type Library, librarySchema, type Sent } from '../describe-library.ts'
import { CHECKS, importExample, type Replacements } from '../examples.ts'
import { auditLibrary, READS_ANSWER, READS_REPLY } from './audit-library.ts'

/**
 * An app around a library that is called for each step. The app makes no check: it does what the
 * library says.
 */
function createStepApp(
  library: Pick<Library, 'useUrl' | 'readAnswer'> & Partial<Library>,
): RequestListener {
  const app = express()
  const scope = library.upgrade ? 'openid svc.upgrade' : 'openid'

  app.get('/verify', async (_request, response) => {
    const sent = keep(response, 'use')
    response.redirect(String(await library.useUrl({ ...sent, scope })))
  })

  app.get('/callback', async (request, response) => {
    const sent = takeBack({ request, response }, 'use')
    const url = new URL(request.originalUrl, `${request.protocol}://${request.host}`)
    // No library knows this answer, which is of this service alone.
    if (library.createUrl && url.searchParams.get('create_requested') === 'true') {
      const { state } = keep(response, 'create')
      return response.redirect(String(await library.createUrl({ state, signals: [ageSignal()] })))
    }
    const isAdult = adultClaims.safeParse(await library.readAnswer(url, sent)).success
    const code = url.searchParams.get('code')
    if (library.upgrade && code !== null) {
      const answer = await library.upgrade({ code, signals: [ageSignal()] })
      return response
        .status(answer === 'OK' ? 200 : 400)
        .send(answer === 'OK' ? 'The age key was upgraded.' : 'No.')
    }
    response
      .status(isAdult ? 200 : 403)
      .send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')
  })

  app.get('/created', ({ query }, response) => {
    const isSaved = query['error'] === undefined
    response
      .status(isSaved ? 200 : 403)
      .send(isSaved ? 'The age key was saved.' : 'No age key was saved.')
  })

  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(400).type('text').send(`Refused: ${error}`)
  }
  return app.use(refuse)
}

/** Claims that say that the user is 18. */
const adultClaims = z.object({ age_thresholds: z.object({ 18: z.literal(true) }) })

/** What a request is sent with stays in this browser. */
function keep(response: Response, cookie: string): Sent {
  const sent = { state: randomUUID(), nonce: randomUUID() }
  response.cookie(cookie, `${sent.state}.${sent.nonce}`, { httpOnly: true, sameSite: 'lax' })
  return sent
}

/** It serves once. */
function takeBack(
  { request, response }: { request: Request; response: Response },
  cookie: string,
): Sent {
  const [state, nonce] = parseCookie(request.headers.cookie ?? '')[cookie]?.split('.') ?? []
  if (state === undefined || nonce === undefined)
    throw new Error('this browser has sent no request')
  response.clearCookie(cookie)
  return { state, nonce }
}

/** Starts an app around a library that is called for each step. */
const startSteps =
  (
    load: (
      sandbox: Sandbox,
      url: string,
    ) => Promise<Pick<Library, 'useUrl' | 'readAnswer'> & Partial<Library>>,
  ) =>
  async (sandbox: Sandbox) => {
    const { url, serve } = await startAppServer()
    serve(createStepApp(await load(sandbox, url)))
    return `${url}/verify`
  }

/** Starts an app around a block of the page on clients. */
const startBlock = (name: string, names: Replacements = {}) =>
  startSteps(async ({ baseUrl }, url) => {
    const texts = {
      'http://localhost:2435': baseUrl,
      'http://localhost:3000': url,
      "response_mode: 'query',": "response_mode: 'query', can_create: 'true',",
      ...names,
    }
    return librarySchema.parse(await importExample(name, makeScratchFolder(), texts))
  })

const left_out = {
  ...READS_ANSWER,
  'flow:create': 'the answer of Create has no token and no code, and the app reads it by itself',
  ...READS_REPLY,
}

auditLibrary({
  name: 'openid-client',
  library: 'openid-client 6',
  uses: '`implicitAuthentication` with `expectedState`, `buildAuthorizationUrlWithPAR`, `genericGrantRequest`',
  left_out,
  startsFresh: true,
  start: startBlock('openid-client.js'),
})

auditLibrary({
  name: 'openid-client-5',
  library: 'openid-client 5',
  uses: '`callbackParams`, `callback` with `state`, `nonce` and `response_type`, `pushedAuthorizationRequest`, `grant`',
  note: 'It takes no code beside the token, so that the app takes the code out of the answer before: nothing is left to compare `c_hash` with.',
  left_out,
  startsFresh: true,
  start: startBlock('openid-client-5.js', { "'openid-client'": "'openid-client-5'" }),
})

auditLibrary({
  name: 'oauth4webapi',
  library: 'oauth4webapi',
  uses: '`validateAuthResponse`, `processAuthorizationCodeResponse` with `expectedNonce`, `validateApplicationLevelSignature`, `processPushedAuthorizationResponse`, `processGenericTokenEndpointResponse`',
  note: 'Beside a code `validateCodeIdTokenResponse` compares `c_hash`; the app does not use it, because most answers have no code.',
  left_out,
  startsFresh: true,
  start: startBlock('oauth4webapi.js'),
})

auditLibrary({
  name: 'jose',
  library: 'jose',
  uses: '`createRemoteJWKSet`, and `jwtVerify` with `issuer`, `audience` and `algorithms`, as the app of [examples/express](../examples/express/) before its own checks',
  left_out: {
    'use/callback.*': 'jose reads a token; the app reads the callback by itself',
    'family:error': 'the same',
  },
  note: 'It is no client library: `state`, `nonce` and errors are left to the app.',
  start: startSteps(async ({ baseUrl, client }, url) => {
    const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
    const issuer = `${baseUrl}/v1/oidc/use`
    return {
      async useUrl(sent) {
        const request = {
          ...sent,
          client_id: client.clientId,
          response_type: 'id_token',
          response_mode: 'query',
          redirect_uri: `${url}/callback`,
          claims: JSON.stringify({ age_thresholds: [18] }),
        }
        return `${issuer}?${new URLSearchParams(request)}`
      },
      async readAnswer({ searchParams }) {
        const token = searchParams.get('id_token') ?? ''
        const algorithms = ['RS256', 'ES256']
        return (await jwtVerify(token, keys, { issuer, audience: client.clientId, algorithms }))
          .payload
      },
    }
  }),
  startsFresh: true,
})

/** The library has no types that fit: what is called of it. */
interface OidcClient {
  createSigninRequest(): Promise<{ url: string }>
  processSigninResponse(url: string): Promise<{ profile: unknown }>
}
const callable = <T>() => z.custom<T>((value) => typeof value === 'function')
const exported = z.object({
  OidcClient: callable<new (settings: object) => OidcClient>(),
  WebStorageStateStore: callable<new (settings: object) => object>(),
  InMemoryWebStorage: callable<new () => object>(),
})

auditLibrary({
  name: 'oidc-client',
  library: 'oidc-client 1',
  uses: '`createSigninRequest` and `processSigninResponse` of `OidcClient`, which `UserManager` calls, in Node instead of a page, with `metadata` and `signingKeys` given and `response_mode: query`',
  left_out: READS_ANSWER,
  start: startSteps(async ({ baseUrl, client }, url) => {
    const { OidcClient, WebStorageStateStore, InMemoryWebStorage } = exported.parse(
      createRequire(CHECKS)('oidc-client'),
    )
    const authority = `${baseUrl}/v1/oidc/use`
    const read = async (address: string) => (await fetch(address)).json()
    const metadata = await read(`${authority}/.well-known/openid-configuration`)
    const { keys: signingKeys } = z
      .object({ keys: z.array(z.looseObject({})) })
      .parse(await read(metadata.jwks_uri))
    const settings = {
      authority,
      metadata,
      signingKeys,
      client_id: client.clientId,
      redirect_uri: `${url}/callback`,
      response_type: 'id_token',
      response_mode: 'query',
      scope: 'openid',
      loadUserInfo: false,
      extraQueryParams: { claims: JSON.stringify({ age_thresholds: [18] }) },
    }
    // It makes state and nonce by itself, and keeps them in the storage of the browser.
    const clients = new Map<string, OidcClient>()
    return {
      async useUrl({ state }) {
        const stateStore = new WebStorageStateStore({ store: new InMemoryWebStorage() })
        const client = new OidcClient({ ...settings, stateStore })
        clients.set(state, client)
        return (await client.createSigninRequest()).url
      },
      async readAnswer({ href }, { state }) {
        const client = clients.get(state)
        if (!client) throw new Error('this browser has sent no request')
        return (await client.processSigninResponse(href)).profile
      },
    }
  }),
})
