import type { RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { parse as parseCookie } from 'cookie'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { SandboxOptions } from '../../src/server/create-sandbox.ts'
import { withPage } from '../browser/support.ts'
import { createAppBrowser } from '../docs/app-browser.ts'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { connectChromium } from '../support/run.ts'
import { startSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { startAppServer } from './app-server.ts'
import { importExample, type Replacements } from './examples.ts'

const callable = <T>() => z.custom<T>((value) => typeof value === 'function')

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const TAMPERED = ['id_token.signature_bit_flipped', 'id_token.nonce_of_earlier_flow'] as const

describe('express-openid-connect', () => {
  const exported = z.object({ app: callable<RequestListener>() })
  /** All that it says; which claim, and what of the response, it keeps to itself. */
  const REASONS = {
    'id_token.signature_bit_flipped': 'invalid response encountered',
    'id_token.nonce_of_earlier_flow': 'unexpected JWT claim value encountered',
  }

  async function start(options: SandboxOptions = {}, replacements: Replacements = {}) {
    vi.stubEnv('SESSION_SECRET', 'a secret of at least thirty-two letters')
    const sandbox = await startSandbox(options)
    const { url, serve } = await startAppServer()
    const addresses = { 'http://localhost:2435': sandbox.baseUrl, 'http://localhost:3000': url, ...replacements }
    serve(exported.parse(await importExample('express-openid-connect.js', makeScratchFolder(), addresses)).app)
    return { sandbox, url, visit: () => createAppBrowser().visit(`${url}/verify`) }
  }

  describeWith('chromium', 'in Chromium', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await connectChromium()
    })
    afterAll(() => browser?.close())

    test.each([
      ['signs a user in at localhost, which its redirect_uri names', 'localhost', '{"18":true}'],
      ['loses its cookie at 127.0.0.1, which its redirect_uri does not name', '127.0.0.1', 'cookie not found'],
    ])('%s', async (_what, host, text) => {
      const { sandbox, url } = await start()
      await sandbox.next({ persona: 'adult-passport' })
      await withPage(browser, {}, async (page) => {
        await page.goto(`${url.replace('localhost', host)}/verify`)
        await page.getByText(text).waitFor()
      })
    })
  })

  test('signs a user in by form_post', async () => {
    const { sandbox, visit } = await start()
    await sandbox.next({ persona: 'teen-16' })
    expect(await visit()).toMatchObject({ status: 200, text: '{"18":false}' })
  })

  test('reads a token that is signed by ES256', async () => {
    const line = { 'authRequired: false,': "authRequired: false, idTokenSigningAlg: 'ES256'," }
    const { sandbox, visit } = await start({ signingAlg: 'ES256' }, line)
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200, text: '{"18":true}' })
  })

  test.each(TAMPERED)('refuses %s for that reason', async (outcome) => {
    const { sandbox, visit } = await start()
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200, text: '{"18":true}' })
    await sandbox.next({ outcome })
    const { status, text } = await visit()
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(REASONS[outcome]) })
  })
})

describe('next-auth 4', () => {
  const exported = z.object({ default: callable<(request: Request, response: Response) => Promise<void>>() })
  const REASONS = {
    'id_token.signature_bit_flipped': 'failed to validate JWT signature',
    'id_token.nonce_of_earlier_flow': 'nonce mismatch',
  }

  async function start(options: SandboxOptions = {}, replacements: Replacements = {}) {
    const sandbox = await startSandbox(options)
    const { url, serve } = await startAppServer()
    vi.stubEnv('NEXTAUTH_URL', url)
    vi.stubEnv('NEXTAUTH_SECRET', 'not-a-real-secret')
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const route = 'pages/api/auth/[...nextauth].js'
    const example = exported.parse(
      await importExample(route, makeScratchFolder(), {
        'http://localhost:2435': sandbox.baseUrl,
        ...replacements,
        // The compiler of Next.js takes the default export out of a CommonJS module, Node does not.
        'import NextAuth from': 'import nextAuth from',
        'default NextAuth(': 'default nextAuth.default(',
      }),
    )
    serve(express().all('/api/auth/*nextauth', asNextDoes, example.default))
    return { sandbox, log, signIn: () => signIn(url) }
  }

  test('signs a user in', async () => {
    const { sandbox, signIn } = await start()
    await sandbox.next({ persona: 'teen-16' })
    expect(await signIn()).toMatchObject({ isAdult: false })
  })

  test('reads a token that is signed by ES256', async () => {
    const types = "response_types: ['id_token']"
    const line = { [types]: `${types}, id_token_signed_response_alg: 'ES256'` }
    const { sandbox, signIn } = await start({ signingAlg: 'ES256' }, line)
    await sandbox.next({ persona: 'adult-passport' })
    expect(await signIn()).toMatchObject({ isAdult: true })
  })

  test.each(TAMPERED)('refuses %s for that reason', async (outcome) => {
    const { sandbox, log, signIn } = await start()
    await sandbox.next({ persona: 'adult-passport' })
    expect(await signIn()).toMatchObject({ isAdult: true })
    expect(log).not.toHaveBeenCalled()
    await sandbox.next({ outcome })
    expect(await signIn()).toEqual({})
    expect(inspect(log.mock.calls, { depth: 5 })).toContain(REASONS[outcome])
  })
})

/** A user of a new browser signs in: the session that there is afterwards. */
async function signIn(url: string): Promise<unknown> {
  const browser = createAppBrowser()
  const { csrfToken } = JSON.parse((await browser.send(`${url}/api/auth/csrf`)).text)
  const form = new URLSearchParams({ csrfToken, callbackUrl: url })
  await browser.visit(`${url}/api/auth/signin/age`, form)
  return JSON.parse((await browser.send(`${url}/api/auth/session`)).text)
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
