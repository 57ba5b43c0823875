import { describe, expect, it } from 'vitest'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PLAYGROUND = '/_sandbox/console/playground'
const claims = JSON.stringify({ age_thresholds: [18, 21], verified_after: '2026-01-01' })

async function startAt(now = '2026-02-01T00:00:00Z') {
  const sandbox = await startSandbox()
  await sandbox.clock.set(now)
  const read = async (query: Readonly<Record<string, string>> = {}) =>
    (await sandbox.request.get(PLAYGROUND).query(query)).text
  return { sandbox, read }
}

/** The text of the row of a persona. */
const rowOf = (page: string, name: string) =>
  textOf(new RegExp(`<tr data-testid="answer-${name}">.*?</tr>`, 's').exec(page)?.[0] ?? '')
const fieldsOf = (page: string, name: string) =>
  tagsOf(page).flatMap(({ attributes }) => (attributes['name'] === name ? [attributes['value']] : []))

describe('the playground', () => {
  it('answers every persona to an example without being asked', async () => {
    const { sandbox, read } = await startAt()
    const page = await read()
    const names = (await sandbox.personas.list()).map(({ name }) => name)
    expect(names.filter((name) => rowOf(page, name) === '')).toEqual([])
    expect(rowOf(page, 'no-age-key')).toContain('no age key')
  })

  it('says what the control API says about each persona, with the reason', async () => {
    const { sandbox, read } = await startAt()
    const page = await read({ claims })
    for (const { name, age_key } of await sandbox.personas.list()) {
      if (!age_key) continue
      const { age_thresholds: answers } = await sandbox.evaluate({ persona: name, claims: JSON.parse(claims) })
      for (const [age, yes] of Object.entries(answers)) {
        expect(rowOf(page, name), name).toContain(`${age} ${yes ? 'yes' : 'no'}`)
      }
    }
    expect(rowOf(page, 'teen-16')).toContain('id_doc_scan: needs 18, has 16')
    expect(rowOf(page, 'stale-verification')).toMatch(/not after 2026-01-01 by verified_after/)
  })

  it('marks what flips when one filter is left out, and goes back', async () => {
    const { read } = await startAt()
    const changed = await read({ claims, change: 'without verified_after' })
    expect(rowOf(changed, 'stale-verification')).toContain('18: no → yes')
    expect(rowOf(changed, 'teen-16')).not.toContain('→')
    expect(changed).not.toContain('&quot;verified_after&quot;: &quot;2026-01-01&quot;')
    const [before = ''] = fieldsOf(changed, 'before')
    expect(JSON.parse(before)).toEqual({ age_thresholds: [18, 21] })
    const back = await read({ claims: before, before: claims, change: 'back' })
    expect(rowOf(back, 'stale-verification')).toContain('18: yes → no')
  })

  it('compares with the claims that were shown before', async () => {
    const { read } = await startAt()
    const page = await read({ claims: '{"age_thresholds":[18]}', before: claims })
    expect(textOf(byTestId(page, 'flipped').join(''))).toBeDefined()
    expect(rowOf(page, 'stale-verification')).toContain('18: no → yes')
  })

  it('says of each change how many personas flip', async () => {
    const { read } = await startAt()
    const page = textOf(await read({ claims }))
    expect(page).toMatch(/without verified_after \d+ personas? .*stale-verification/)
  })

  it('shows refused claims as findings with rule, place, message and hint, and keeps the text', async () => {
    const { read } = await startAt()
    const page = await read({ claims: '{"age_thresholds":["18"],}' })
    expect(textOf(page)).toMatch(/error USE-09 claims claims must be JSON.*How to fix it/)
    expect(page).toContain('{&quot;age_thresholds&quot;:[&quot;18&quot;],}</textarea>')
    expect(page).not.toContain('data-testid="answer-')
  })

  it('shows only the personas of one answer, or those that a search finds', async () => {
    const { read } = await startAt()
    const names = (page: string) => page.match(/(?<=<tr data-testid="answer-)[\w-]+/g) ?? []
    expect(names(await read({ claims, q: 'teen-16' }))).toEqual(['teen-16'])
    const adults = names(await read({ claims, answers: '11' }))
    expect(adults).toContain('adult-passport')
    expect(adults).not.toContain('teen-16')
    expect(names(await read({ claims, answers: 'none' }))).toEqual(['no-age-key'])
  })

  it('shows a hundred personas on a page, and all of them on its pages', async () => {
    const { sandbox, read } = await startAt()
    for (let n = 0; n < 80; n++)
      await sandbox.personas.put({ name: `one-of-many-${n}`, title: 'One of many', purpose: 'Fills a page' })
    const names = (page: string) => page.match(/(?<=<tr data-testid="answer-)[\w-]+/g) ?? []
    const first = await read({ claims })
    const [after = ''] = fieldsOf(first, 'after')
    const second = await read({ claims, after })
    const all = (await sandbox.personas.list()).map(({ name }) => name)
    expect(names(first)).toHaveLength(100)
    expect([...names(first), ...names(second)].sort()).toEqual(all.sort())
  })

  it('begins no flow and queues nothing', async () => {
    const { sandbox, read } = await startAt()
    await read({ claims, persona: 'teen-16' })
    expect([await sandbox.flows.list(), await sandbox.expectations.list()]).toEqual([[], []])
  })

  it('still answers when every persona was removed', async () => {
    const { sandbox, read } = await startAt()
    for (const { name } of await sandbox.personas.list()) await sandbox.personas.remove(name)
    expect(textOf(await read({ claims }))).toContain('0 personas')
  })
})

it('the page of a flow leads to the playground with the claims and the persona of the flow', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use({ claims, sandbox_persona: 'teen-16' })
  const flow = (await sandbox.request.get('/_sandbox/console/flows/f1')).text
  const links = tagsOf(flow).filter(({ attributes }) => attributes['data-testid'] === 'try-claims')
  const { text } = await sandbox.request.get(links[0]?.attributes['href'] ?? '')
  expect(rowOf(text, 'teen-16')).toContain('18 no')
  expect(textOf(text)).toContain('With teen-16')
  expect(text).toContain(
    '{&quot;age_thresholds&quot;:[18,21],&quot;verified_after&quot;:&quot;2026-01-01&quot;}</textarea>',
  )
})
