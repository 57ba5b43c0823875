import { expect, test } from 'vitest'
import { MAX_FOUND, searchDocuments } from '../../../src/workbench/documents/search.ts'

const placesOf = async (query: string) =>
  (await searchDocuments(query)).map(({ document, anchor }) => `${document}#${anchor}`)

test('A search in the documents finds the rule of an id first, also in lowercase', async () => {
  expect((await searchDocuments('par-07'))[0]).toMatchObject({
    document: 'rules',
    terms: ['par-07'],
  })
  expect(await placesOf('PAR-07')).toEqual(await placesOf('par-07'))
})

test('A search in the documents finds an outcome by the beginning of its name', async () => {
  expect((await placesOf('id_token.expired')).length).toBeGreaterThan(0)
  expect(await placesOf('id_token.expir')).toEqual(
    expect.arrayContaining(await placesOf('id_token.expired')),
  )
})

test('A search in the documents finds only sections that have all of its words', async () => {
  const both = await searchDocuments('doctor issuer')
  expect(both.length).toBeGreaterThan(0)
  expect(both.length).toBeLessThan((await searchDocuments('issuer')).length)
  expect(await searchDocuments('doctor nosuchwordatall')).toEqual([])
})

test('A search in the documents finds a word in spite of a wrong letter', async () => {
  expect(await placesOf('replcas')).toEqual(
    expect.arrayContaining((await placesOf('replicas')).slice(0, 1)),
  )
})

test('A search in the documents shows the text around what was found', async () => {
  for (const { excerpt, terms, heading, title } of await searchDocuments('fragment')) {
    const shown = `${title} ${heading} ${excerpt}`.toLowerCase()
    expect(terms.filter((term) => shown.includes(term)).length, shown).toBeGreaterThan(0)
    expect(excerpt.length).toBeLessThan(260)
  }
})

test('A search in the documents lists at most a page of sections', async () => {
  expect(await searchDocuments('the')).toHaveLength(MAX_FOUND)
})

test('A search in the documents finds nothing without a word', async () => {
  expect(await searchDocuments('')).toEqual([])
  expect(await searchDocuments('?!')).toEqual([])
})

test.each([
  ['upgrade', 'first-steps#upgrade'],
  ['create', 'first-steps#create'],
  ['form_post', 'integrations#fragment-query-or-form_post'],
  ['webhook', 'driving#wait-for-a-result'],
  ['typescript', 'library#library-for-javascript-and-typescript'],
  ['docker', 'addresses#docker-one-issuer-two-addresses'],
  ['kubernetes', 'addresses#kubernetes'],
  ['no_proxy', 'addresses#a-proxy-that-your-company-asks-for'],
  ['https', 'addresses#https'],
  ['clock', 'driving#the-clock'],
  ['tenant', 'driving#tenants'],
  ['scenario', 'driving#scenarios'],
  ['playwright', 'library#playwright'],
  ['pytest', 'testing#pytest'],
  ['cors', 'troubleshooting#cors-the-browser-blocks-the-token-call'],
  ['es256', 'configuration#rs256-or-es256'],
  ['reset', 'command-line#reset'],
  ['id_token.expired', 'outcomes#use-e1'],
])('The first section that a search for %s finds is %s', async (query, place) => {
  expect((await placesOf(query))[0]).toBe(place)
})
