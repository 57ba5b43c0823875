import { beforeEach, expect, test } from 'vitest'
import { byTestId, tagsOf, textOf } from '../../../support/markup.ts'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

const FLOWS = '/_sandbox/console/flows'
let sandbox: TestSandbox
beforeEach(async () => {
  sandbox = await startSandbox()
  const party = createRelyingParty(sandbox)
  await party.use({ state: 'first', nonce: 'first-nonce' })
  await sandbox.clock.advance(7200)
  await party.use({ state: 'second', nonce: 'second-nonce', sandbox_persona: 'teen-16' })
})
const open = async (path: string) => {
  const { status, text } = await sandbox.request.get(FLOWS + path)
  return { status, html: text, text: textOf(text) }
}

test('The page of two flows shows what differs first, and folds what is the same or another one in every flow', async () => {
  const { status, text } = await open('/compare?a=f1&b=f2')
  expect(status).toBe(200)
  for (const section of [
    /f2 began 2 h after f1, by the clock of the sandbox/,
    /What happened \d differ .*persona adult-passport teen-16.* The same in both \d+ .*outcome verified verified/,
    /Another one in every flow 1 .*state first second/,
    /The id_token 2 differ What differs: The id_token Value f1 f2 payload\.age_thresholds\.18 true false/,
    /E1 Use authorization, by the browser 1 differs What .* Value f1 f2 sent: sandbox_persona adult-passport teen-16/,
  ])
    expect(text).toMatch(section)
})

test('The page of two flows is reached from the page of a flow, which names the one before of its client', async () => {
  await sandbox.request.get('/v1/oidc/use').query({ client_id: 'another' })
  await createRelyingParty(sandbox).use()
  const [link] = byTestId((await open('/f4')).html, 'compare')
  expect(link?.attributes['href']).toBe(`${FLOWS}/compare?a=f2&b=f4`)
  expect(byTestId((await open('/f1')).html, 'compare')).toEqual([])
})

test('The page of two flows asks for the flows that are missing, and says when too many are chosen', async () => {
  expect((await open('/compare')).text).toContain('Choose two flows in the table')
  const one = tagsOf((await open('/compare?pick=f2')).html)
  expect(one.find(({ attributes }) => attributes['name'] === 'a')?.attributes['value']).toBe('f2')
  expect((await open('/compare?pick=f3&pick=f2&pick=f1')).text).toContain('3 flows are chosen; two can be compared')
})

test('The page of two flows says of a flow that is unknown or forgotten that there is none', async () => {
  const unknown = /There is no such flow flow: there is none with the id "f9", so that nothing can be compared/
  expect(await open('/compare?a=f1&b=f9')).toMatchObject({ status: 404, text: expect.stringMatching(unknown) })
  await sandbox.reset()
  expect(await open('/compare?a=f1&b=f2')).toMatchObject({ status: 404, text: expect.stringContaining('"f1"') })
  expect((await open('/compare?a=<b>&b=f2')).text).toContain('"<b>"')
})
