import { beforeEach, expect, test } from 'vitest'
import { groupByRule } from '../../../src/console/flows/by-rule.ts'
import type { Finding } from '../../../src/oidc/rules/finding.ts'
import { listedFlow, recordedCall } from '../../support/listed-flow.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const PAGE = '/_sandbox/console/flows?group=rule'

function broke(id: string, ...rules: (readonly [Finding['rule'], Finding['level']])[]) {
  const findings = rules.map(([rule, level]) => ({ rule, level, path: 'x', message: `${rule} in ${id}`, hint: 'h' }))
  return listedFlow({ id, calls: [recordedCall({ findings })] })
}

async function* of(...flows: ReturnType<typeof broke>[]) {
  yield* flows
}
let sandbox: TestSandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
const read = async (path: string) => (await sandbox.request.get(path)).text
const useWithoutNonce = (state: string) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined, state }))

test('Flows by broken rule stand below each rule that they broke: errors first, then the rule that most of them broke', async () => {
  const { groups, total, sound } = await groupByRule(
    of(
      broke('f5', ['USE-08', 'advice'], ['USE-08', 'advice']),
      broke('f4', ['USE-08', 'advice']),
      broke('f3', ['USE-04', 'error'], ['PAR-07', 'error']),
      broke('f2', ['USE-04', 'error']),
      broke('f1'),
    ),
  )
  const seen = groups.map(({ finding, count, newest }) => [finding.rule, count, newest.map(({ flow }) => flow.id)])
  expect(seen).toEqual([
    ['USE-04', 2, ['f3', 'f2']],
    ['PAR-07', 1, ['f3']],
    ['USE-08', 2, ['f5', 'f4']],
  ])
  expect({ total, sound: sound.newest.map(({ id }) => id) }).toEqual({ total: 5, sound: ['f1'] })
})

test('Flows by broken rule name the newest five of a rule, and say how many there are', async () => {
  const ids = ['f7', 'f6', 'f5', 'f4', 'f3', 'f2', 'f1']
  const { groups } = await groupByRule(of(...ids.map((id) => broke(id, ['USE-04', 'error']))))
  expect(groups.map(({ count, newest }) => [count, newest.map(({ flow }) => flow.id)])).toEqual([[7, ids.slice(0, 5)]])
})

test('The flows page with group=rule shows each broken rule with its sentence and its flows, and at the end the flows that broke none', async () => {
  await createRelyingParty(sandbox).use()
  for (let count = 0; count < 6; count++) await useWithoutNonce(`s${count}`)
  const page = await read(PAGE)
  expect(textOf(page)).toMatch(
    /7 flows: .* error USE-\d+ 6 flows .*nonce.* Use f7 error .*nonce is missing.* All 6 flows .*No rule broken 1 Use f1 ok/,
  )
  const links = tagsOf(page).flatMap(({ attributes }) => attributes['href'] ?? [])
  const all = links.find((href) => /^\?q=USE-\d+$/.test(href)) ?? expect.fail('no link to all flows of the rule')
  expect((await read(`/_sandbox/console/flows${all}`)).match(/data-testid="flow-f\d+"/g)).toHaveLength(6)
  const [rules = '', id = ''] = links.find((href) => href.includes('/rules?q='))?.split('#') ?? []
  expect(byTestId(page, `rule-${id}`)).toHaveLength(1)
  expect(await read(rules)).toContain(`id="${id}"`)
})

test('The flows page with group=rule keeps to the filters and the search', async () => {
  for (const state of ['one', 'two']) await useWithoutNonce(state)
  const shown = async (query: string) => textOf(await read(`${PAGE}&${query}`))
  expect(await shown('q=two')).toMatch(/1 flow: .*Use f2/)
  expect(await shown('state=one')).not.toContain('f2')
  expect(await shown('state=none')).toContain('No flow matches this search')
})
