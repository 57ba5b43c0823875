import { expect, test } from 'vitest'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

test('the cookie makes this browser act as the persona, and goes again', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.send('/_sandbox/act-as/teen-16', {
    method: 'POST',
    headers: { Accept: 'application/json' },
  })
  expect(answer.json()).toEqual({ persona: 'teen-16' })
  const cookie = answer.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16;/)
  expect(cookie).toMatch(/HttpOnly/i)
  expect(cookie).toMatch(/SameSite=Lax/i)
  const headers = { Cookie: cookie.split(';', 1)[0] ?? '' }
  await sandbox.get('/v1/oidc/use', { query: useRequest(), headers })
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'verified' })

  const cleared = await sandbox.send('/_sandbox/act-as', { method: 'DELETE' })
  expect([cleared.status, cleared.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
})

test('GET is a page with one button and sets nothing', async () => {
  const sandbox = await startSandbox()
  const page = await sandbox.get('/_sandbox/act-as/teen-16')
  expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
  expect(page.text.match(/<button/g)).toHaveLength(1)
  expect(page.text).toContain('action="/_sandbox/act-as/teen-16"')
})

test('the cookie of a tenant is sent to that tenant only', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.send('/t/one/_sandbox/act-as/teen-16', { method: 'POST' })
  expect(answer.headers.get('set-cookie')).toContain('Path=/t/one/')
})

test.each(['GET', 'POST'])('%s of a persona that nobody is gives near misses', async (method) => {
  const sandbox = await startSandbox()
  const answer = await sandbox.send('/_sandbox/act-as/teen-61', { method, headers: { Accept: 'application/json' } })
  expect(answer.json()).toMatchObject({ error: 'not_found', suggestions: expect.arrayContaining(['teen-16']) })
  expect(answer.headers.get('set-cookie')).toBeNull()
})

test.each(['*/*', undefined])(
  'a program that accepts %j is refused in JSON, as by every other call',
  async (accept) => {
    const sandbox = await startSandbox()
    const headers = accept === undefined ? undefined : { Accept: accept }
    const answer = await sandbox.send('/_sandbox/act-as/teen-61', { method: 'POST', ...(headers && { headers }) })
    expect([answer.status, answer.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
  },
)

test('the form of the page is refused by a page', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.post('/_sandbox/act-as/teen-61', new URLSearchParams(), { Accept: 'text/html' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')])
})
