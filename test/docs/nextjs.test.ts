import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Sandbox } from '../../src/create-sandbox.ts'
import { startSandbox } from '../support/sandbox.ts'
import { frameworkStandIns } from './framework-stand-ins.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

type Handler = (request: Request) => Promise<Response>

const handlers = z.object({ GET: z.custom<Handler>((value) => typeof value === 'function') })
const blocks = codeBlocks(readPage('integration-nextjs.md'), 'ts')
const APP = 'http://localhost:3000'

/** Loads the route handler of a file that the page shows, set up for a sandbox. */
async function loadHandler(file: string, { baseUrl }: Sandbox): Promise<Handler> {
  const settings = { AGE_ISSUER: `${baseUrl}/v1/oidc/use`, AGE_JWKS_URI: `${baseUrl}/.well-known/jwks.json` }
  const { outputFiles } = await build({
    stdin: { contents: blockWith(blocks, `// ${file}`), loader: 'ts', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    define: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
    ),
    plugins: [frameworkStandIns],
  })
  const source = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')
  return handlers.parse(await import(/* @vite-ignore */ `data:text/javascript;base64,${source}`)).GET
}

/** Goes through the Use flow as a browser with a cookie jar does; resolves to what the callback handler answers. */
async function verify(sandbox: Sandbox, { keepsCookies = true } = {}): Promise<Response> {
  const begun = await (await loadHandler('app/verify/route.ts', sandbox))(new Request(`${APP}/verify`))
  const cookies = new Map(
    begun.headers.getSetCookie().map((text): [string, string] => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      return [name, decodeURIComponent(value)]
    }),
  )
  Object.assign(globalThis, { requestCookies: keepsCookies ? cookies : new Map() })
  const answered = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
  const callback = answered.headers.get('location') ?? ''
  return (await loadHandler('app/callback/route.ts', sandbox))(new Request(callback))
}

describe('the route handlers for Next.js', () => {
  test.each([
    ['adult-passport', '/welcome'],
    ['teen-16', '/too-young'],
  ])('send %s to %s', async (persona, path) => {
    const answer = await verify(await startSandbox({ persona }))
    expect(answer.headers.get('location')).toBe(`${APP}${path}`)
  })

  test('send a user who gives up back to the start', async () => {
    const answer = await verify(await startSandbox({ outcome: 'access_denied' }))
    expect(answer.headers.get('location')).toBe(`${APP}/?age=unproved`)
  })

  test('refuse an answer in a browser that asked nothing', async () => {
    const answer = await verify(await startSandbox({ persona: 'adult-passport' }), { keepsCookies: false })
    expect(answer.status).toBe(400)
  })

  test.each(['id_token.nonce_other', 'callback.state_of_other_session'])('refuse %s', async (outcome) => {
    const answer = await verify(await startSandbox({ outcome }))
    expect(answer.status).toBe(400)
  })

  test.each([
    'id_token.alg_none',
    'id_token.payload_changed',
    'id_token.foreign_key_same_kid',
    'id_token.iss_of_create',
    'id_token.aud_of_other_client',
    'id_token.expired',
  ])('let nobody in by %s', async (outcome) => {
    await expect(verify(await startSandbox({ outcome }))).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_J/),
    })
  })
})
