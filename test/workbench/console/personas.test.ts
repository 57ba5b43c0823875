import { expect, test } from 'vitest'
import { inPersonaOrder } from '../../../src/sandbox/personas/persona-schema.ts'
import { createBrowserClient } from '../../support/browser-client.ts'
import { byTestId, textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PERSONAS = '/_sandbox/console/personas'
const namesOn = (page: string) => page.match(/(?<=data-testid="persona-)[\w-]+/g) ?? []

test('The personas page has the personas as they are declared, with the usual one first', async () => {
  const { personas, request } = await startSandbox()
  const declared = inPersonaOrder(await personas.list()).map(({ name }) => name)
  const shown = namesOn((await request.get(PERSONAS)).text)
  expect(shown).toEqual(declared)
  expect(shown[0]).toBe('adult-passport')
})

test('The personas page shows what each persona of a group holds', async () => {
  const sandbox = await startSandbox()
  await sandbox.clock.set('2026-05-01T12:00:00Z')
  const { text } = await sandbox.request.get(PERSONAS).query({ group: 'Birthdays', q: 'turns-18' })
  expect(namesOn(text)).toEqual(['turns-18-tomorrow'])
  expect(textOf(text)).toMatch(
    /born 2008-05-02 by id_doc_scan ?, .*verified 2026-04-01 12:00:00Z by \/veratad\/roc/,
  )
  expect(text).toContain('date_of_birth: today - 18y + 1d')
  expect(text).toContain('/playground?persona=turns-18-tomorrow&amp;q=turns-18-tomorrow')
})

test('The personas page finds a persona by its purpose', async () => {
  const sandbox = await startSandbox()
  const byPurpose = await sandbox.request.get(PERSONAS).query({ q: 'national register' })
  expect(namesOn(byPurpose.text)).toEqual(['adult-national-id'])
})

test('The personas page finds no persona of another group', async () => {
  const sandbox = await startSandbox()
  const ofGroup = await sandbox.request
    .get(PERSONAS)
    .query({ q: 'national register', group: 'Birthdays' })
  expect(namesOn(ofGroup.text)).toEqual([])
})

test('The personas page opens the group of a persona that has changed', async () => {
  const sandbox = await startSandbox()
  await sandbox.personas.put({
    name: 'teen-16',
    title: 'Teenager of 16',
    purpose: 'Lost its age key',
    group: 'Minors',
  })
  const { text } = await sandbox.request.get(PERSONAS)
  expect(
    text.match(/<details[^>]* open[^>]*>\s*<summary[^>]*>.*?<\/summary>/g)?.map(textOf),
  ).toEqual([expect.stringMatching(/Minors/)])
  expect(textOf(text)).toContain('teen-16 changed Teenager of 16')
})

test('The personas page makes this browser act as a persona, until it stops', async () => {
  const browser = createBrowserClient((await startSandbox()).url)
  const acting = await browser.submit(PERSONAS, { persona: 'teen-16' })
  expect(acting.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=teen-16; .*HttpOnly/)
  expect(byTestId((await browser.get(acting.headers.location ?? '')).text, 'acting')).toHaveLength(
    1,
  )
  const stopped = await browser.submit(PERSONAS, { persona: '' })
  expect(stopped.get('Set-Cookie')?.join()).toMatch(/^agekey_sandbox_persona=; Max-Age=0/)
})
