import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/server/http/html/messages.ts'
import { formWithId, openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const usePage = async (changes = {}) =>
  (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text
const createPage = async () => {
  const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
  return (await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri))).text
}
const endingsOf = (page: string) => openEndings(sandbox, page)

test('The page of the endings lists the plain ones first, then each other ending once, folded by its call', async () => {
  const text = await endingsOf(await usePage({ scope: 'openid svc.upgrade' }))
  const [plain = '', wrong = ''] = text.split('<div class="wrong">')
  const namesIn = (part: string) =>
    [...part.matchAll(/name="outcome" value="([^"]+)"/g)].map(([, name]) => name)
  expect(namesIn(plain).slice(0, 4)).toEqual([
    'verified',
    'code_issued',
    'create_requested',
    'access_denied',
  ])
  expect(namesIn(plain).filter((name) => name?.includes('.'))).toEqual([])
  const titles = ['ID token', 'ID token: age_thresholds', 'Callback', 'Token (E4)', 'Upgrade (E5)']
  expect([...wrong.matchAll(/<details><summary>([^<]+) </g)].map(([, title]) => title)).toEqual(
    titles,
  )
  const names = namesIn(text)
  expect(names.length).toBeGreaterThan(150)
  expect(names).toEqual([...new Set(names)])
})

test('The page of the endings says what the request lacks for an ending, which cannot be pressed', async () => {
  const text = await endingsOf(await usePage())
  expect(textOf(text)).toContain('code_issued accept needs scope svc.upgrade')
  expect(textOf(text)).toContain('create_requested accept needs can_create=true')
  expect(byTestId(text, 'outcome-token.500')[0]?.attributes).toHaveProperty('disabled')
  expect(byTestId(text, 'outcome-server_error')[0]?.attributes).not.toHaveProperty('disabled')
})

test('The page of the endings has as many endings as the page before says', async () => {
  for (const page of [await usePage(), await createPage()]) {
    const [, said] = /id="endings-title[\s\S]*?class="count">(\d+)</.exec(page) ?? []
    const listed = (await endingsOf(page)).match(/name="outcome"/g) ?? []
    expect(listed.length).toBeGreaterThan(5)
    expect(String(listed.length)).toEqual(said)
  }
})

test.each([
  [
    'Use, for the persona that is named there',
    usePage,
    'id_token.expired',
    { with_persona: 'teen-16' },
    'teen-16',
  ],
  ['Create', createPage, 'server_error', {}, undefined],
])(
  'The form of the endings ends a request of %s',
  async (_which, open, outcome, values, persona) => {
    expect(
      (await submit(sandbox, press(await endingsOf(await open()), `outcome-${outcome}`, values)))
        .status,
    ).toBe(303)
    const flow = await sandbox.flows.last()
    expect(flow?.outcome).toEqual(outcome)
    expect(flow?.persona).toEqual(persona)
  },
)

test('The page of the endings leads back to the choice, in the language that was chosen there', async () => {
  const language = formWithId(await usePage(), 'language-form')
  language.fields.set('language', 'de')
  const text = await endingsOf((await submit(sandbox, language)).text)
  expect(textOf(text)).toContain(LANGUAGES['de']?.['ending.title'])
  const [, back = ''] = /<form method="post" action="([^"]+continue)"/.exec(text) ?? []
  const transaction = language.fields.get('transaction') ?? ''
  const fields = new URLSearchParams({ transaction, chosen_language: 'de' })
  const again = await submit(sandbox, { action: back, fields })
  expect(again.status).toBe(200)
  expect(again.headers['content-language']).toBe('de')
})

test('A misspelt persona of a forced ending is refused on a page that leads back to the endings', async () => {
  const text = await endingsOf(await usePage())
  const names = tagsOf(text).flatMap(({ name, attributes }) =>
    name === 'option' ? (attributes['value'] ?? []) : [],
  )
  expect(names).toContain('teen-16')
  const refused = await submit(
    sandbox,
    press(text, 'outcome-server_error', { with_persona: 'teen16' }),
  )
  expect(refused.status).toBe(400)
  const back = byTestId(refused.text, 'back')[0]?.attributes['href'] ?? ''
  const again = (await sandbox.request.get(back).expect(200)).text
  expect(
    (await submit(sandbox, press(again, 'outcome-server_error', { with_persona: 'teen-16' })))
      .status,
  ).toBe(303)
})

test('The page of the endings says that a request is over, or is unknown', async () => {
  const page = await usePage()
  await submit(sandbox, press(page, 'use'))
  expect(textOf(await endingsOf(page))).toContain('answered already')
  await sandbox.request.get('/v1/oidc/use/endings').query({ transaction: 'x' }).expect(410)
})
