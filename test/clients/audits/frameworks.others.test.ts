import type { RequestListener } from 'node:http'
import { parse as parseCookie } from 'cookie'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createAppBrowser } from '../../docs/app-browser.ts'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startAppServer } from '../app-server.ts'
import { CHECKS, importExample, type Replacements } from '../examples.ts'
import { auditLibrary } from './audit-library.ts'

const callable = <T>() => z.custom<T>((value) => typeof value === 'function')

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** Serves the block for express-openid-connect for one test: the page that begins. */
async function startExpress(
  { baseUrl }: { readonly baseUrl: string },
  replacements: Replacements = {},
) {
  // The library warns of form_post without https at each start.
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.stubEnv('SESSION_SECRET', 'a secret of at least thirty-two letters')
  const { url, serve } = await startAppServer()
  const exported = await importExample('express-openid-connect.js', makeScratchFolder(CHECKS), {
    'http://localhost:2435': baseUrl,
    'http://localhost:3000': url,
    'response.json(request.oidc.idTokenClaims.age_thresholds)': `const isAdult = request.oidc.idTokenClaims.age_thresholds?.['18'] === true
  response.status(isAdult ? 200 : 403).send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')`,
    ...replacements,
  })
  serve(z.object({ app: callable<RequestListener>() }).parse(exported).app)
  return `${url}/verify`
}

auditLibrary({
  name: 'express-openid-connect',
  library: 'express-openid-connect',
  uses: '`auth` and `requiresAuth`',
  note: 'Its `state` says where the user goes back to, and is the same in each request from the same page; `nonce` and a cookie tell the flows apart.',
  startsFresh: true,
  start: startExpress,
})

/** Serves the block for next-auth for one test, as Next.js does: the page that begins. */
async function startNextAuth(
  { baseUrl }: { readonly baseUrl: string },
  replacements: Replacements = {},
) {
  const { url, serve } = await startAppServer()
  vi.stubEnv('NEXTAUTH_URL', url)
  vi.stubEnv('NEXTAUTH_SECRET', 'not-a-real-secret')
  vi.spyOn(console, 'error').mockReturnValue()
  const exported = await importExample(
    'pages/api/auth/[...nextauth].js',
    makeScratchFolder(CHECKS),
    {
      'http://localhost:2435': baseUrl,
      // The compiler of Next.js takes the default export out of a CommonJS module, Node does not.
      'import NextAuth from': 'import nextAuth from',
      'default NextAuth(': 'default nextAuth.default(',
      "claims.age_thresholds['18']": "claims.age_thresholds?.['18'] === true",
      ...replacements,
    },
  )
  const route = callable<(request: Request, response: Response) => Promise<void>>()
  const app = express().all(
    '/api/auth/*nextauth',
    asNextDoes,
    z.object({ default: route }).parse(exported).default,
  )
  serve(app.get('/verify', signIn(url)).get('/', showSession(url)))
  return `${url}/verify`
}

/** What `signIn` of the library does in a page: a form with the token that the library asks for. */
const signIn =
  (url: string): RequestHandler =>
  async (_request, response) => {
    const answer = await fetch(`${url}/api/auth/csrf`)
    const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await answer.json())
    response.set('Set-Cookie', answer.headers.getSetCookie()).send(`<title>Sign in</title>
<body onload="document.forms[0].submit()"><form data-submit method="post" action="${url}/api/auth/signin/age">
<input type="hidden" name="csrfToken" value="${csrfToken}"><input type="hidden" name="callbackUrl" value="${url}"></form>`)
  }

/** The first page, to which the library leads a user who has signed in. */
const showSession =
  (url: string): RequestHandler =>
  async (request, response) => {
    const answer = await fetch(`${url}/api/auth/session`, {
      headers: { cookie: request.headers.cookie ?? '' },
    })
    const { isAdult } = z.object({ isAdult: z.boolean().optional() }).parse(await answer.json())
    response
      .status(isAdult ? 200 : 403)
      .send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')
  }

/** The request as Next.js gives it to a route of the pages router. */
const asNextDoes: RequestHandler[] = [
  express.urlencoded(),
  (request, _response, next) => {
    const { nextauth } = request.params
    Object.defineProperty(request, 'query', { value: { ...request.query, nextauth } })
    request.cookies = parseCookie(request.headers.cookie ?? '')
    next()
  },
]

auditLibrary({
  name: 'next-auth',
  library: 'next-auth 4',
  uses: "a provider with `idToken: true` and `checks: ['state', 'nonce']`",
  note: 'Its cookies are `SameSite=Lax`, and do not come along with a `form_post` of another site: so `use/callback.form_post_unasked` is refused. Between two ports of localhost, which are one site, a browser sends them, and it is let in.',
  start: startNextAuth,
})

const TYPES = "response_types: ['id_token']"

/** That they refuse wrong answers and let the right ones in, the audits show. */
test.each([
  [
    'express-openid-connect',
    startExpress,
    { 'authRequired: false,': "authRequired: false, idTokenSigningAlg: 'ES256'," },
  ],
  ['next-auth 4', startNextAuth, { [TYPES]: `${TYPES}, id_token_signed_response_alg: 'ES256'` }],
] as const)(
  '%s reads a token that is signed by ES256, with the line of libraries.md',
  async (_name, start, line) => {
    const sandbox = await startSandbox({ signingAlg: 'ES256', persona: 'adult-passport' })
    const verify = await start(sandbox, line)
    expect(await createAppBrowser().visit(verify)).toMatchObject({
      status: 200,
      text: 'Welcome, you are 18.',
    })
  },
)
