import { expect, test } from 'vitest'
import { groupByRule } from '../../../src/console/flows/by-rule.ts'
import type { Finding } from '../../../src/oidc/rules/finding.ts'
import { listedFlow, recordedCall } from '../../support/listed-flow.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PAGE = '/_sandbox/console/flows?group=rule'

const broke = (id: string, ...rules: (readonly [Finding['rule'], Finding['level']])[]) =>
  listedFlow({
    id,
    calls: [
      recordedCall({
        findings: rules.map(([rule, level]) => ({ rule, level, path: 'x', message: `${rule} in ${id}`, hint: 'h' })),
      }),
    ],
  })

async function* of(...flows: ReturnType<typeof broke>[]) {
  yield* flows
}

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
  const flows = Array.from({ length: 7 }, (_, index) => broke(`f${7 - index}`, ['USE-04', 'error']))
  const { groups } = await groupByRule(of(...flows))
  expect(groups[0]).toMatchObject({ count: 7 })
  expect(groups[0]?.newest.map(({ flow }) => flow.id)).toEqual(['f7', 'f6', 'f5', 'f4', 'f3'])
})

test('The flows page with group=rule shows each broken rule with its sentence and its flows, and at the end the flows that broke none', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use()
  for (let count = 0; count < 6; count++) {
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined, state: `s${count}` }))
  }
  const page = (await sandbox.request.get(PAGE)).text
  expect(textOf(page)).toMatch(
    /7 flows: .* error USE-\d+ 6 flows .*nonce.* Use f7 error .*nonce is missing.* All 6 flows .*No rule broken 1 Use f1 ok/,
  )
  const links = tagsOf(page).flatMap(({ attributes }) => attributes['href'] ?? [])
  const all = links.find((href) => /^\?q=USE-\d+$/.test(href)) ?? expect.fail('no link to all flows of the rule')
  const list = (await sandbox.request.get(`/_sandbox/console/flows${all}`)).text
  expect([...list.matchAll(/data-testid="flow-(f\d+)"/g)]).toHaveLength(6)
  const rule = links.find((href) => href.includes('/rules?q=')) ?? ''
  expect(byTestId(page, `rule-${rule.split('#')[1]}`)).toHaveLength(1)
  expect((await sandbox.request.get(rule.split('#')[0] ?? '')).text).toContain(`id="${rule.split('#')[1]}"`)
})

test('The flows page with group=rule keeps to the filters and the search', async () => {
  const sandbox = await startSandbox()
  for (const state of ['one', 'two']) {
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined, state }))
  }
  const shown = async (query: string) => textOf((await sandbox.request.get(`${PAGE}&${query}`)).text)
  expect(await shown('q=two')).toMatch(/1 flow: .*Use f2/)
  expect(await shown('state=one')).not.toContain('f2')
  expect(await shown('state=none')).toContain('No flow matches this search')
})
