import { expect, test } from 'vitest'
import { describeFlow } from '../../../src/server/client/describe-flow.ts'
import type { CallRecord, Flow } from '../../../src/server/client/shapes.ts'

const CALL: CallRecord = {
  ...{
    at: '2026-01-02T03:04:05.678Z',
    endpoint: 'E1',
    method: 'GET',
    path: '/v1/oidc/use',
    status: 302,
  },
  ...{ parameters: {}, findings: [] },
  response: { location: 'http://localhost:3000/cb#id_token=eyJhbGciOi&state=x' },
}

const flow = (changes: Partial<Flow> = {}): Flow => ({
  ...{ id: 'f1', tenant: 'default', flow: 'use', status: 'ok', summary: 'teen-16: 18 no' },
  ...{ started_at: CALL.at, calls: [CALL] },
  ...changes,
})

const textOf = (changes?: Partial<Flow>) => describeFlow(flow(changes)).map(({ text }) => text)

test('The description of a flow begins with the result', () => {
  expect(
    textOf({ persona: 'teen-16', reasons: ['18: no. needs 18'], next_steps: ['Compare state.'] }),
  ).toEqual([
    'f1 use ok: teen-16: 18 no',
    'persona teen-16',
    '',
    'Why',
    '  18: no. needs 18',
    '',
    'Calls',
    '  03:04:05  E1 Use authorization: GET /v1/oidc/use 302 to http://localhost:3000/cb with id_token, state',
    '',
    'What a correct client does next',
    '  Compare state.',
  ])
})

test('The description of a flow names the parameters of query and fragment', () => {
  const response = { location: 'http://localhost:3000/cb?shop=1#id_token=eyJhbGciOi&state=x' }
  expect(textOf({ calls: [{ ...CALL, response }] }).join('\n')).toContain(
    'to http://localhost:3000/cb with shop, id_token, state',
  )
})

test('The description of a flow shows each finding with its hint', () => {
  const of = { rule: 'USE-04', level: 'error', path: 'response_type' } as const
  const findings = [{ ...of, message: 'is wrong', hint: 'Send it.' }]
  const response = {
    location: 'http://localhost:3000/cb?error=access_denied&error_description=long',
  }
  const lines = describeFlow(flow({ status: 'error', calls: [{ ...CALL, findings, response }] }))
  expect(lines[0]?.tone).toBe('error')
  const answer = '302 to http://localhost:3000/cb with error=access_denied, error_description'
  expect(lines.slice(3)).toEqual([
    { text: `  03:04:05  E1 Use authorization: GET /v1/oidc/use ${answer}` },
    { text: '    error USE-04: is wrong', tone: 'error' },
    { text: '      To mend it: Send it.' },
  ])
})

test.each([
  [{ error: 'invalid_grant', error_description: 'used' }, 400, '400 invalid_grant: used'],
  [{ page: 'Choose' }, 200, '200 page "Choose"'],
  [{ dropped: true }, 0, 'GET /v1/oidc/use no response'],
])(
  'The description of a flow shows the answer %j in a few words, in red unless it succeeded',
  (...row) => {
    const [response, status, end] = row
    const line = describeFlow(flow({ calls: [{ ...CALL, response, status }] })).at(-1)
    expect(line).toEqual({
      text: expect.stringMatching(new RegExp(`${end}$`)),
      ...(status !== 200 && { tone: 'error' }),
    })
  },
)
