import { beforeEach, expect, test } from 'vitest'
import { tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const FLOWS = '/_sandbox/console/flows'
let sandbox: TestSandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
const read = async (path = '') => (await sandbox.request.get(FLOWS + path)).text
const idsOn = (page: string) => [...page.matchAll(/data-testid="flow-(f\d+)"/g)].map(([, id]) => id)

test.each([
  ['', ['f2', 'f1']],
  ['?state=good', ['f1']],
  ['?status=error', ['f2']],
  ['?q=GOOD', ['f1']],
  ['?q=nowhere', []],
  ['?status=unknown', ['f2', 'f1']],
])('The flows page with %j shows the flows that match, and a way to all when it leaves flows out', async (...row) => {
  const [query, ids] = row
  await createRelyingParty(sandbox).use({ state: 'good' })
  await sandbox.request.get('/v1/oidc/use').query('state=bad')
  const page = await read(query)
  expect(idsOn(page)).toEqual(ids)
  expect(textOf(page).includes('Show every flow')).toBe(ids.length < 2)
  if (ids.includes('f1')) expect(textOf(page)).toMatch(/Use f1 .*adult-passport: 13 yes, 16 yes, 18 yes.* ok/)
  if (ids.includes('f2')) expect(textOf(page)).toMatch(/Use f2 .*client_id is missing.* error /)
})

test('The flows page shows why a request that breaks no rule is refused', async () => {
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-61' }))
  expect(textOf(await read())).toMatch(/E1 refused with 400: .*there is no persona "teen-61"/)
  expect(textOf(await read('/f1'))).toMatch(/there is no persona "teen-61".*Correct the request/)
})

test('The flows page shows the newest 30 and leads to the older ones of the same search', async () => {
  const party = createRelyingParty(sandbox)
  for (let index = 1; index <= 31; index += 1) await party.use({ state: `state-${index}` })
  const first = await read('?flow=use&q=state')
  expect(idsOn(first)).toHaveLength(30)
  const hrefs = tagsOf(first).map(({ attributes }) => attributes['href'])
  expect(hrefs.filter((href) => href?.includes('before='))).toEqual(['?flow=use&q=state&before=f2'])
  expect(idsOn(await read('?flow=use&q=state&before=f2'))).toEqual(['f1'])
})
