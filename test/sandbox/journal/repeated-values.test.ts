import { expect, test } from 'vitest'
import { type Changes, sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** The messages of USE-25 for the last of some requests of one client. */
async function adviceAfter(...requests: readonly Changes[]): Promise<string[]> {
  const { url, flows } = await startSandbox()
  for (const changes of requests) await sendUse(url, changes)
  const flow = await flows.get(`f${requests.length}`)
  return flow.calls[0]?.findings.flatMap(({ rule, message }) => (rule === 'USE-25' ? [message] : [])) ?? []
}

const STATE = 'state is the same in f2 and f1'
const NONCE = 'nonce is the same in f2 and f1'
const other = (name: string) => ['a', 'b', 'c'].map((value) => ({ [name]: value }))

test.each<[string, readonly Changes[], readonly string[]]>([
  ['draws none of them', [{}, {}, {}], [STATE, NONCE]],
  ['draws a nonce alone', other('nonce'), [STATE]],
  ['draws a state alone', other('state'), [NONCE]],
  ['is loaded again', [{}, {}], []],
  ['began to draw them', [{}, {}, { state: 'b', nonce: 'b' }], []],
  ['sends none', [{}, {}, { state: undefined }], [NONCE]],
])('The third request of an app that %s gets that advice', async (_what, requests, messages) => {
  expect(await adviceAfter(...requests)).toEqual(messages)
})

test('Advice on repeated values knows one client from another, and changes nothing but the flow that is read', async () => {
  const { url, flows } = await startSandbox({
    clients: [{ clientId: 'b', clientSecret: 'sk_b', redirectUris: ['http://localhost:3000/callback'] }],
  })
  for (const client_id of ['ak_test_sandbox', 'b', 'b', 'ak_test_sandbox']) await sendUse(url, { client_id })
  const rules = async (id: string) => (await flows.get(id)).calls[0]?.findings.map(({ rule }) => rule)
  expect(await rules('f4')).toEqual([])
  await sendUse(url)
  expect([await rules('f5'), await rules('f4')]).toEqual([['USE-25', 'USE-25'], []])
  expect((await flows.list()).flatMap(({ calls }) => calls.flatMap(({ findings }) => findings))).toEqual([])
})
