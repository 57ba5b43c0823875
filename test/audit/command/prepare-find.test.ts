import { expect, test } from 'vitest'
import { askByHttp } from '../../../src/audit/command/prepare-find.ts'
import { findFreePort } from '../../../src/audit/command/start-app.ts'
import { startWebApp, type WebHandler } from '../../support/web-app.ts'

type Question = Parameters<typeof askByHttp>[0]

const SUB = 'Xk3-9_aQ7bR2cT5dU8eV1f'

/** The verdict on an answer of the app. */
async function ask(handler: WebHandler, request: Partial<Question> & { path?: string } = {}) {
  const { path = '/verifications?sub={sub}', ...rest } = request
  const app = await startWebApp(handler)
  const question = askByHttp(
    { url: path, headers: {}, ...rest },
    { page: app.url, timeoutSeconds: 0.5 },
  )
  return { asked: await question(SUB), sent: app.requests[0] }
}

const answers =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): WebHandler =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

test('A question to an app has the sub in the path or the query, and the given headers', async () => {
  const [path, headers] = ['/users/{sub}/log?sub={sub}', { authorization: 'Bearer secret' }]
  const { sent } = await ask(answers(404), { path, headers })
  expect(sent).toMatchObject({ method: 'GET', path: `/users/${SUB}/log?sub=${SUB}`, headers })
})

test('A question to an app posts the sub in a form or in JSON', async () => {
  const post = { method: 'POST', path: '/find' } as const
  const form = await ask(answers(404), { ...post, form: { q: 'sub={sub}&x', a: '1' } })
  expect(form.sent).toMatchObject({ ...post, body: `q=sub%3D${SUB}%26x&a=1` })
  const json = await ask(answers(404), { ...post, json: { where: [{ sub: '{sub}' }], limit: 1 } })
  const headers = { 'content-type': 'application/json' }
  expect(json.sent).toMatchObject({
    ...post,
    headers,
    body: `{"where":[{"sub":"${SUB}"}],"limit":1}`,
  })
})

const notFound = (reason: string) => ({ isAnswer: true, reason })
const couldNotAsk = (reason: RegExp) => ({ isAnswer: false, reason: expect.stringMatching(reason) })

test.each<[string, WebHandler, unknown]>([
  ['a body that holds the sub', answers(200, `[{"sub":"${SUB}"}]`), 'found'],
  ['an empty list', answers(200, '[]'), notFound('it answered 200 without the sub')],
  ['no body', answers(204), notFound('it answered 204 without the sub')],
  ['410', answers(410, SUB), notFound('it answered 410')],
  ['404, with the sub', answers(404, SUB), notFound('it answered 404')],
  ['401', answers(401), couldNotAsk(/^it answered 401: .*as a header$/)],
  ['500', answers(500, SUB), couldNotAsk(/^it answered 500$/)],
  [
    'a sign-in',
    answers(302, SUB, { Location: `/login?next=${SUB}` }),
    couldNotAsk(/^it .* 302 and leads to \/login$/),
  ],
  [
    'a closed connection',
    (_request, response) => response.destroy(),
    couldNotAsk(/closed .* without an answer$/),
  ],
  ['nothing in time', () => {}, couldNotAsk(/did not answer in time$/)],
])('A question to an app knows what is meant by %s', async (_, handler, expected) => {
  expect((await ask(handler)).asked).toEqual(expected)
})

test('A question to an app says that no app is there', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const askNobody = askByHttp({ url: '/{sub}', headers: {} }, { page: url })
  const reason = `${url} cannot be reached: nothing answers there`
  expect(await askNobody(SUB)).toEqual({ isAnswer: false, reason })
})
