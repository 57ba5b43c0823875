import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

/** Pages, calls, assets and refusals: each of them must show what it comes from. */
const PATHS = [
  ['GET', '/'],
  ['GET', '/v1/oidc/use'],
  ['GET', '/v1/oidc/create'],
  ['POST', '/v1/oidc/create/par'],
  ['POST', '/v1/oidc/use/token'],
  ['POST', '/v1/svc/upgrade'],
  ['GET', '/v1/oidc/use/.well-known/openid-configuration'],
  ['GET', '/v1/oidc/create/.well-known/openid-configuration'],
  ['GET', '/.well-known/jwks.json'],
  ['GET', '/_sandbox/health'],
  ['GET', '/_sandbox/openapi.json'],
  ['GET', '/_sandbox/assets/app.css'],
  ['GET', '/_sandbox/assets/nothing.css'],
  ['GET', '/nowhere'],
  ['DELETE', '/v1/oidc/use'],
] as const

describe('every answer', () => {
  it.each(PATHS)('%s %s says that it is for testing only, and nothing of Express', async (method, path) => {
    const sandbox = await startSandbox()
    const agent = request(sandbox.url)
    const answer = await (method === 'GET'
      ? agent.get(path)
      : method === 'POST'
        ? agent.post(path)
        : agent.delete(path))
    expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['x-powered-by']).toBeUndefined()
    expect(answer.status).toBeLessThan(500)
  })

  it.each(PATHS.filter(([, path]) => path.startsWith('/v1')))(
    '%s %s is never kept by a cache',
    async (method, path) => {
      const sandbox = await startSandbox()
      const agent = request(sandbox.url)
      const answer = await (method === 'GET'
        ? agent.get(path)
        : method === 'POST'
          ? agent.post(path)
          : agent.delete(path))
      expect(answer.headers['cache-control']).toMatch(/no-store|no-cache/)
    },
  )
})
