import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { parse as parseCookie } from 'cookie'
import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { ageSignal } from '../../support/requests.ts'
import type { Library, Sent } from '../describe-library.ts'

/**
 * An app around a library that is called for each step. It makes no check of its own: it lets a user in when the library
 * gives claims that say `true`, and refuses when the library throws.
 */
export function createStepApp(library: Pick<Library, 'useUrl' | 'readAnswer'> & Partial<Library>): RequestListener {
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
    const isAdult = saysAdult(await library.readAnswer(url, sent))
    const code = url.searchParams.get('code')
    if (library.upgrade && code !== null) {
      const answer = await library.upgrade({ code, signals: [ageSignal()] })
      return response.status(answer === 'OK' ? 200 : 400).send(answer === 'OK' ? 'The age key was upgraded.' : 'No.')
    }
    response.status(isAdult ? 200 : 403).send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')
  })

  app.get('/created', ({ query }, response) => {
    const isSaved = query['error'] === undefined
    response.status(isSaved ? 200 : 403).send(isSaved ? 'The age key was saved.' : 'No age key was saved.')
  })

  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(400).type('text').send(`Refused: ${error}`)
  }
  return app.use(refuse)
}

/** Whether claims that a library has accepted say that the user is 18. */
const saysAdult = (claims: unknown): boolean =>
  isObject(claims) && isObject(claims['age_thresholds']) && claims['age_thresholds']['18'] === true

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** What a request is sent with stays in this browser. */
function keep(response: Response, cookie: string): Sent {
  const sent = { state: randomUUID(), nonce: randomUUID() }
  response.cookie(cookie, `${sent.state}.${sent.nonce}`, { httpOnly: true, sameSite: 'lax' })
  return sent
}

/** It serves once. */
function takeBack({ request, response }: { request: Request; response: Response }, cookie: string): Sent {
  const [state, nonce] = parseCookie(request.headers.cookie ?? '')[cookie]?.split('.') ?? []
  if (state === undefined || nonce === undefined) throw new Error('this browser has sent no request')
  response.clearCookie(cookie)
  return { state, nonce }
}
