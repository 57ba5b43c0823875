import { expect, test } from 'vitest'
import { type Flow, type FlowFilter, flowId } from '../../../src/sandbox/journal/journal.ts'
import { adviseOnRepeats } from '../../../src/sandbox/journal/masked-journal.ts'
import { listedFlow, recordedCall } from '../../support/journal-entries.ts'

type Sent = Readonly<Record<string, string>>

const flowWith = (sent: Sent, index: number): Flow => {
  const parameters = { state: 'state-1', nonce: 'nonce-1', ...sent }
  return listedFlow({
    id: flowId(index + 1),
    client_id: 'shop',
    calls: [recordedCall({ endpoint: 'E1', parameters })],
  })
}

/**
 * The messages of the last flow of some requests of one client, and what was asked of the journal.
 */
async function adviceAfter(...requests: readonly Sent[]) {
  const flows = requests.map(flowWith)
  const asked: (FlowFilter | undefined)[] = []
  async function* list(_tenant: string, filter?: FlowFilter) {
    asked.push(filter)
    yield* flows.slice(0, -1).toReversed()
  }
  const { calls } = await adviseOnRepeats(flows.at(-1) ?? expect.fail(), { list })
  const found = calls.flatMap(({ findings }) => findings)
  return { found, asked, messages: found.map(({ message }) => message) }
}

const STATE = 'state is the same in f2 and f1'
const NONCE = 'nonce is the same in f2 and f1'
const other = (name: string) => ['a', 'b', 'c'].map((value) => ({ [name]: value }))

test.each<[string, readonly Sent[], readonly string[]]>([
  ['draws none of them', [{}, {}, {}], [STATE, NONCE]],
  ['draws a nonce alone', other('nonce'), [STATE]],
  ['draws a state alone', other('state'), [NONCE]],
  ['has loaded a page again', [{}, {}], []],
  ['began to draw them', [{}, {}, { state: 'b', nonce: 'b' }], []],
  ['sends an empty state', Array(3).fill({ state: '' }), [NONCE]],
])('The third request of an app that %s gets that advice', async (_what, requests, messages) => {
  expect((await adviceAfter(...requests)).messages).toEqual(messages)
})

test('Advice on repeated values is that of USE-25, by the two requests of the client before', async () => {
  const { found, asked } = await adviceAfter({}, {}, {}, {})
  expect(found.map(({ rule, level, path }) => [rule, level, path])).toEqual([
    ['USE-25', 'advice', 'state'],
    ['USE-25', 'advice', 'nonce'],
  ])
  expect(found[0]?.message).toBe('state is the same in f3 and f2')
  expect(asked).toEqual([{ flow: 'use', client_id: 'shop', before: 'f4' }])
})
