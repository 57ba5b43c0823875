import { expect, test } from 'vitest'
import { MAX_FOUND, searchDocuments } from '../../src/documents/search.ts'

const placesOf = (query: string) => searchDocuments(query).map(({ document, anchor }) => `${document}#${anchor}`)

test('A search in the documents finds the rule of an id first, also in lowercase', () => {
  expect(searchDocuments('par-07')[0]).toMatchObject({ document: 'rules', terms: ['par-07'] })
  expect(placesOf('PAR-07')).toEqual(placesOf('par-07'))
})

test('A search in the documents finds an outcome by its name and by the beginning of its name', () => {
  expect(placesOf('id_token.expired').length).toBeGreaterThan(0)
  expect(placesOf('id_token.expir')).toEqual(expect.arrayContaining(placesOf('id_token.expired')))
})

test('A search in the documents finds only sections that have all of its words', () => {
  const both = searchDocuments('doctor issuer')
  expect(both.length).toBeGreaterThan(0)
  expect(both.length).toBeLessThan(searchDocuments('issuer').length)
  expect(searchDocuments('doctor nosuchwordatall')).toEqual([])
})

test('A search in the documents finds a word in spite of a wrong letter', () => {
  expect(placesOf('replcas')).toEqual(expect.arrayContaining(placesOf('replicas').slice(0, 1)))
})

test('A search in the documents shows the text around what was found', () => {
  for (const { excerpt, terms, heading, title } of searchDocuments('fragment')) {
    const shown = `${title} ${heading} ${excerpt}`.toLowerCase()
    expect(terms.filter((term) => shown.includes(term)).length, shown).toBeGreaterThan(0)
    expect(excerpt.length).toBeLessThan(260)
  }
})

test('A search in the documents lists at most a page of sections, and none for no word', () => {
  expect(searchDocuments('the')).toHaveLength(MAX_FOUND)
  expect(searchDocuments('')).toEqual([])
  expect(searchDocuments('?!')).toEqual([])
})
