import { parse as parseCookie } from 'cookie'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { vi } from 'vitest'
import * as z from 'zod'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { startAppServer } from '../app-server.ts'
import { importExample } from '../examples.ts'
import { auditLibrary } from './audit-library.ts'
import { installedVersion } from './installed-version.ts'

const route = z.custom<(request: Request, response: Response) => Promise<void>>((value) => typeof value === 'function')

auditLibrary({
  name: 'next-auth',
  library: 'next-auth 4',
  version: installedVersion('next-auth'),
  uses: "a provider with `idToken: true` and `checks: ['state', 'nonce']`",
  anchor: 'next-auth',
  note: 'Its cookies are `SameSite=Lax`, and do not come along with a `form_post` of another site: so `use/callback.form_post_unasked` is refused. Between two ports of localhost, which are one site, a browser sends them, and it is let in.',
  left_out: {},
  async start({ baseUrl }) {
    const { url, serve } = await startAppServer()
    vi.stubEnv('NEXTAUTH_URL', url)
    vi.stubEnv('NEXTAUTH_SECRET', 'not-a-real-secret')
    vi.spyOn(console, 'error').mockReturnValue()
    const example = await importExample('pages/api/auth/[...nextauth].js', makeScratchFolder(), {
      'http://localhost:2435': baseUrl,
      // The compiler of Next.js takes the default export out of a CommonJS module, Node does not.
      'import NextAuth from': 'import nextAuth from',
      'default NextAuth(': 'default nextAuth.default(',
      "claims.age_thresholds['18']": "claims.age_thresholds?.['18'] === true",
    })
    const app = express()
    app.all('/api/auth/*nextauth', asNextDoes, z.object({ default: route }).parse(example).default)
    serve(app.get('/verify', signIn(url)).get('/', showSession(url)))
    return `${url}/verify`
  },
})

/** What `signIn` of the library does in a page: a form with the token that the library asks for. */
const signIn =
  (url: string): RequestHandler =>
  async (_request, response) => {
    const answer = await fetch(`${url}/api/auth/csrf`)
    const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await answer.json())
    response.set('Set-Cookie', answer.headers.getSetCookie()).send(`<title>Sign in</title>
<body onload="document.forms[0].submit()"><form method="post" action="/api/auth/signin/age">
<input name="csrfToken" value="${csrfToken}"><input name="callbackUrl" value="${url}">`)
  }

/** The first page, to which the library leads a user who has signed in. */
const showSession =
  (url: string): RequestHandler =>
  async (request, response) => {
    const answer = await fetch(`${url}/api/auth/session`, { headers: { cookie: request.headers.cookie ?? '' } })
    const { isAdult } = z.object({ isAdult: z.boolean().optional() }).parse(await answer.json())
    response.status(isAdult ? 200 : 403).send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')
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
