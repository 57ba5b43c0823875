import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/http/html/messages.ts'
import { formWithId, openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const usePage = async (changes = {}) => (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text
const createPage = async () => {
  const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
  return (await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri))).text
}
const endingsOf = (page: string) => openEndings(sandbox, page)

test('The page of the endings lists each ending once, by its call, where the request can lead there', async () => {
  const text = await endingsOf(await usePage({ scope: 'openid svc.upgrade' }))
  const titles = ['Endings', 'ID token', 'ID token: age_thresholds', 'Callback', 'Token (E4)', 'Upgrade (E5)']
  expect([...text.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, title]) => title)).toEqual(titles)
  const names = tagsOf(text).flatMap(({ attributes: { name, value } }) => (name === 'outcome' ? value : []))
  expect(names.length).toBeGreaterThan(150)
  expect(new Set(names).size).toBe(names.length)
  expect(byTestId(await endingsOf(await usePage()), 'outcome-token.500')).toEqual([])
})

test('The page of the endings has as many endings as the page before says', async () => {
  for (const page of [await usePage(), await createPage()]) {
    const [, said] = /endings-title[\s\S]*?class="count">(\d+)</.exec(page) ?? []
    const listed = (await endingsOf(page)).match(/name="outcome"/g) ?? []
    expect([listed.length > 5, String(listed.length)]).toEqual([true, said])
  }
})

test.each([
  ['Use, for the persona that is named there', usePage, 'id_token.expired', { with_persona: 'teen-16' }, 'teen-16'],
  ['Create', createPage, 'server_error', {}, undefined],
])('The form of the endings ends a request of %s', async (_which, open, outcome, values, persona) => {
  expect((await submit(sandbox, press(await endingsOf(await open()), `outcome-${outcome}`, values))).status).toBe(303)
  const flow = await sandbox.flows.last()
  expect([flow?.outcome, flow?.persona]).toEqual([outcome, persona])
})

test('The page of the endings leads back to the choice, in the language that was chosen there', async () => {
  const language = formWithId(await usePage(), 'language-form')
  language.fields.set('language', 'de')
  const text = await endingsOf((await submit(sandbox, language)).text)
  expect(textOf(text)).toContain(LANGUAGES['de']?.['ending.title'])
  const [, back = ''] = /<form method="post" action="([^"]+continue)"/.exec(text) ?? []
  const transaction = language.fields.get('transaction') ?? ''
  const fields = new URLSearchParams({ transaction, chosen_language: 'de' })
  const again = await submit(sandbox, { action: back, fields })
  expect([again.status, again.headers['content-language']]).toEqual([200, 'de'])
})

test('The page of the endings says that a request is over, or is unknown', async () => {
  const page = await usePage()
  await submit(sandbox, press(page, 'use'))
  expect(textOf(await endingsOf(page))).toContain('answered already')
  await sandbox.request.get('/v1/oidc/use/endings').query({ transaction: 'x' }).expect(410)
})
