import { describe, expect, test } from 'vitest'
import { type AppRequest, askByHttp } from '../../../src/audit/drill/ask-app.ts'
import { findFreePort } from '../../../src/cli/audit/app/start-app.ts'
import { startWebApp, type WebHandler } from '../../support/web-app.ts'

const SUB = 'Xk3-9_aQ7bR2cT5dU8eV1f'

/** What is made of the answer of an app. */
async function ask(handler: WebHandler, request: Partial<AppRequest> & { path?: string } = {}) {
  const { path = '/verifications?sub={sub}', ...rest } = request
  const app = await startWebApp(handler)
  const question = askByHttp({ method: 'GET', url: `${app.url}${path}`, headers: {}, ...rest }, { timeoutSeconds: 0.5 })
  return { asked: await question.ask(SUB), sent: app.requests[0], title: question.title, app }
}

const answers =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): WebHandler =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

describe('A question to an app', () => {
  test('asks with the sub in the path or the query, and with the given headers', async () => {
    const { sent, title, app } = await ask(answers(404), {
      path: '/users/{sub}/log?sub={sub}',
      headers: { authorization: 'Bearer secret' },
    })
    expect(sent).toMatchObject({ method: 'GET', path: `/users/${SUB}/log?sub=${SUB}` })
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer secret' })
    expect(title).toBe(`GET ${app.url}/users/{sub}/log?sub={sub}`)
  })

  test('posts the sub in a form or in JSON', async () => {
    const form = await ask(answers(404), { method: 'POST', path: '/find', form: { q: 'sub={sub}&x', a: '1' } })
    expect(form.sent).toMatchObject({ method: 'POST', path: '/find', body: `q=sub%3D${SUB}%26x&a=1` })
    const json = await ask(answers(404), {
      method: 'POST',
      path: '/find',
      json: { where: [{ sub: '{sub}' }], limit: 1 },
    })
    expect(JSON.parse(json.sent?.body ?? '')).toEqual({ where: [{ sub: SUB }], limit: 1 })
    expect(json.sent?.headers['content-type']).toBe('application/json')
  })

  test.each([
    ['a body that holds the sub', answers(200, `[{"sub":"${SUB}"}]`), { state: 'found' }],
    ['a page that shows it', answers(206, `<td>${SUB}</td>`), { state: 'found' }],
    ['an empty list', answers(200, '[]'), { state: 'not_found', reason: 'its 200 does not hold the sub' }],
    ['no body', answers(204), { state: 'not_found', reason: 'it answered 204 without a body' }],
    ['404, with the sub', answers(404, SUB), { state: 'not_found', reason: 'it answered 404' }],
    [
      '401',
      answers(401),
      { state: 'could_not_ask', reason: expect.stringMatching(/^it answered 401: .*as a header$/) },
    ],
    ['403', answers(403, SUB), { state: 'could_not_ask', reason: expect.stringContaining('403') }],
    ['500', answers(500, SUB), { state: 'could_not_ask', reason: 'it answered 500' }],
    ['429', answers(429), { state: 'could_not_ask', reason: 'it answered 429' }],
    [
      'a redirect to a sign-in',
      answers(302, SUB, { Location: `/login?next=${SUB}` }),
      { state: 'could_not_ask', reason: 'it answered 302 and leads to /login' },
    ],
    [
      'a body that is too long to be read to its end',
      answers(200, 'x'.repeat(2_000_000) + SUB),
      { state: 'could_not_ask', reason: expect.stringMatching(/longer than 1048576 bytes/) },
    ],
    [
      'nothing, and closes the connection',
      ((_request, response) => response.destroy()) satisfies WebHandler,
      { state: 'could_not_ask', reason: expect.stringMatching(/closed the connection without an answer$/) },
    ],
    [
      'nothing in time',
      (() => {}) satisfies WebHandler,
      { state: 'could_not_ask', reason: expect.stringMatching(/did not answer in time$/) },
    ],
  ] as const)('reads %s', async (_, handler, expected) => {
    expect((await ask(handler)).asked).toEqual(expected)
  })

  test('says that no app is there', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const { ask: askNobody } = askByHttp({ method: 'GET', url: `${url}/{sub}`, headers: {} }, { timeoutSeconds: 5 })
    expect(await askNobody(SUB)).toEqual({
      state: 'could_not_ask',
      reason: `${url} cannot be reached: nothing answers there`,
    })
  })
})
