import { expect, test } from 'vitest'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

test('the cookie makes this browser act as the persona until DELETE clears it', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-16').set('Accept', 'application/json')
  expect(answer.body).toEqual({ persona: 'teen-16' })
  const cookie = answer.get('Set-Cookie')?.[0] ?? ''
  expect(cookie).toMatch(/^agekey_sandbox_persona=teen-16;/)
  expect(cookie).toMatch(/HttpOnly/i)
  expect(cookie).toMatch(/SameSite=Lax/i)
  await sandbox.request
    .get('/v1/oidc/use')
    .set('Cookie', cookie.split(';', 1)[0] ?? '')
    .query(useRequest())
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'verified' })

  const cleared = await sandbox.request.delete('/_sandbox/act-as')
  expect([cleared.status, cleared.get('Set-Cookie')]).toEqual([204, [expect.stringContaining('Max-Age=0')]])
})

test('GET is a page with one button and sets nothing', async () => {
  const sandbox = await startSandbox()
  const page = await sandbox.request.get('/_sandbox/act-as/teen-16')
  expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
  expect(page.text.match(/<button/g)).toHaveLength(1)
  expect(page.text).toContain('action="/_sandbox/act-as/teen-16"')
})

test('the cookie of a tenant is sent to that tenant only', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/t/one/_sandbox/act-as/teen-16')
  expect(answer.get('Set-Cookie')).toEqual([expect.stringContaining('Path=/t/one/')])
})

test.each(['get', 'post'] as const)('%s of an unknown persona answers with the nearest names', async (method) => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request[method]('/_sandbox/act-as/teen-61').set('Accept', 'application/json')
  expect(answer.body).toMatchObject({ error: 'not_found', suggestions: expect.arrayContaining(['teen-16']) })
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test.each(['*/*', undefined])(
  'a program that accepts %j is refused in JSON, as by every other call',
  async (accept) => {
    const sandbox = await startSandbox()
    const headers = accept === undefined ? {} : { Accept: accept }
    const answer = await sandbox.request.post('/_sandbox/act-as/teen-61').set(headers)
    expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
  },
)

test('the form of the page is refused by a page', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.post('/_sandbox/act-as/teen-61').set('Accept', 'text/html').type('form')
  expect([answer.status, answer.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')])
})
