import { beforeEach, expect, test } from 'vitest'
import { tagsOf, textOf } from '../../../support/markup.ts'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const PLAYGROUND = '/_sandbox/console/playground'
const claims = JSON.stringify({ age_thresholds: [18, 21], verified_after: '2026-01-01' })
const sandbox = await shareSandbox()
beforeEach(() => sandbox.clock.set('2026-02-01T00:00:00Z'))
const read = async (query: Readonly<Record<string, string>> = {}) =>
  (await sandbox.request.get(PLAYGROUND).query(query)).text

const rowOf = (page: string, name: string) =>
  textOf(new RegExp(`<tr data-testid="answer-${name}">.*?</tr>`, 's').exec(page)?.[0] ?? '')
const namesOn = (page: string): string[] => page.match(/(?<=<tr data-testid="answer-)[\w-]+/g) ?? []
const fieldOf = (page: string, name: string) =>
  tagsOf(page).find(({ attributes }) => attributes['name'] === name)?.attributes['value'] ?? ''
const allNames = async () => (await sandbox.personas.list()).map(({ name }) => name)

test('The playground answers every persona to an example without being asked', async () => {
  const page = await read()
  expect(namesOn(page).sort()).toEqual((await allNames()).sort())
  expect(rowOf(page, 'no-age-key')).toContain('no age key')
})

test('The playground gives the answers of the control API with the reason', async () => {
  const page = await read({ claims, persona: 'teen-16' })
  for (const { name, age_key } of await sandbox.personas.list()) {
    if (!age_key) continue
    const { age_thresholds: answers } = await sandbox.evaluate({
      persona: name,
      claims: JSON.parse(claims),
    })
    for (const [age, yes] of Object.entries(answers))
      expect(rowOf(page, name), name).toContain(`${age} ${yes ? 'yes' : 'no'}`)
  }
  expect(rowOf(page, 'teen-16')).toContain('id_doc_scan: needs 18, has 16')
  expect(rowOf(page, 'stale-verification')).toMatch(/not after 2026-01-01 by verified_after/)
})

test('The playground begins no flow', async () => {
  await read({ claims, persona: 'teen-16' })
  expect(await sandbox.flows.list()).toEqual([])
  expect(await sandbox.expectations.list()).toEqual([])
})

test('The playground marks what flips when one filter is left out', async () => {
  expect(textOf(await read({ claims }))).toMatch(
    /without verified_after \d+ personas? .*stale-verification/,
  )
  const changed = await read({ claims, change: 'without verified_after' })
  expect(rowOf(changed, 'stale-verification')).toContain('18: no → yes')
  expect(rowOf(changed, 'teen-16')).not.toContain('→')
  expect(changed).not.toContain('&quot;verified_after&quot;: &quot;2026-01-01&quot;')
})

test('The playground goes back to a filter that was left out', async () => {
  const changed = await read({ claims, change: 'without verified_after' })
  const before = fieldOf(changed, 'before')
  expect(JSON.parse(before)).toEqual({ age_thresholds: [18, 21] })
  const back = await read({ claims: before, before: claims, change: 'back' })
  expect(rowOf(back, 'stale-verification')).toContain('18: yes → no')
})

test('The playground shows refused claims as findings', async () => {
  const page = await read({ claims: '{"age_thresholds":["18"],}' })
  expect(textOf(page)).toMatch(/error USE-09 claims claims must be JSON.*How to fix it/)
})

test('The playground keeps the text of refused claims', async () => {
  const page = await read({ claims: '{"age_thresholds":["18"],}' })
  expect(page).toContain('{&quot;age_thresholds&quot;:[&quot;18&quot;],}</textarea>')
  expect(namesOn(page)).toEqual([])
})

test('The playground shows only the personas of one answer, or those that a search finds', async () => {
  expect(namesOn(await read({ claims, q: 'teen-16' }))).toEqual(['teen-16'])
  const adults = namesOn(await read({ claims, answers: '11' }))
  expect(adults).toContain('adult-passport')
  expect(adults).not.toContain('teen-16')
  expect(namesOn(await read({ claims, answers: 'none' }))).toEqual(['no-age-key'])
})

test('The playground shows a hundred personas on a page', async () => {
  for (let n = 0; n < 80; n++)
    await sandbox.personas.put({
      name: `one-of-many-${n}`,
      title: 'One of many',
      purpose: 'Fills a page',
    })
  const first = await read({ claims })
  const second = await read({ claims, after: fieldOf(first, 'after') })
  expect(namesOn(first)).toHaveLength(100)
  expect([...namesOn(first), ...namesOn(second)].sort()).toEqual((await allNames()).sort())
})

test('The playground still answers when every persona was removed', async () => {
  for (const name of await allNames()) await sandbox.personas.remove(name)
  expect(textOf(await read({ claims }))).toContain('0 personas')
})

test('The page of a flow leads to the playground with the claims of the flow', async () => {
  await createRelyingParty(sandbox).use({ claims, sandbox_persona: 'teen-16' })
  const { id } = (await sandbox.flows.last()) ?? expect.fail('there is no flow')
  const flow = (await sandbox.request.get(`/_sandbox/console/flows/${id}`)).text
  const link = tagsOf(flow).find(({ attributes }) => attributes['data-testid'] === 'try-claims')
  const { text } = await sandbox.request.get(link?.attributes['href'] ?? '')
  expect(rowOf(text, 'teen-16')).toContain('18 no')
  expect(textOf(text)).toContain('With teen-16')
  expect(text).toContain(`${claims.replaceAll('"', '&quot;')}</textarea>`)
})
