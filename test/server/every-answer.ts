import { expect } from 'vitest'
import type { Answer } from '../support/http-client.ts'

/** E1, E3 and their forms, of a tenant too: the specification lets every site embed them. */
export const isHosted = (path: string) =>
  /^(?:\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)(?:$|\/(?:choice|language|clock|continue|endings)$)/.test(
    path,
  )

export const isPage = ({ headers }: Answer) =>
  headers['content-type']?.startsWith('text/html') === true

/** What a page may load, run and change. */
const STRICT = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
]

/**
 * What every answer promises: it is for testing only, names no framework and, as a page, loads
 * nothing from elsewhere.
 */
export function expectPromises(path: string, answer: Answer): void {
  const { headers, status } = answer
  expect(headers).toMatchObject({
    'x-agekey-sandbox': 'testing-only',
    'x-content-type-options': 'nosniff',
  })
  expect(headers['x-powered-by']).toBeUndefined()
  expect(status).toBeLessThan(500)
  if (!isPage(answer)) return
  expect(answer.text).toContain('<meta name="robots" content="noindex, nofollow">')
  const policy = headers['content-security-policy']?.split('; ') ?? []
  expect(policy).toEqual(expect.arrayContaining(STRICT))
  expect(policy.join()).not.toContain('unsafe')
  const ancestors = policy.filter((directive) => directive.startsWith('frame-ancestors'))
  expect(ancestors, path).toEqual(isHosted(path) ? [] : ["frame-ancestors 'self'"])
}
