import { expect, test } from 'vitest'
import type { ListedFlow } from '../../../src/sandbox/journal/journal.ts'
import { linkStories } from '../../../src/sandbox/journal/link-stories.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/journal-entries.ts'

const of = (id: string, changes: Partial<ListedFlow>) =>
  listedFlow({ id, client_id: 'shop', ...changes })
const asked = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { persona: 'no-age-key', outcome: 'create_requested', ...changes })
const saved = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { flow: 'create', persona: 'no-age-key', outcome: 'created', ...changes })
const used = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { persona: 'no-age-key', outcome: 'verified', ...changes })
const upgraded = (id: string) =>
  used(id, { calls: [recordedCall(), recordedCall({ endpoint: 'E5', status: 200 })] })

/** Links as `f1>f2`, of flows in the order in which they began. */
const linksOf = (...flows: ListedFlow[]) =>
  [...linkStories(flows.reverse())].flatMap(([id, { after }]) =>
    after === undefined ? [] : [`${id}>${after}`],
  )

const between = [used('f2', { persona: 'teen-16' }), asked('f3', { client_id: 'other' })]
const waiting = of('f2', {
  flow: 'create',
  ended_at: undefined,
  calls: [recordedCall({ endpoint: 'E2' })],
})
const withStates = [
  asked('f1', { state: 's' }),
  asked('f2', { state: 't' }),
  saved('f3', { state: 's' }),
]
const refused = saved('f2', {
  persona: undefined,
  outcome: undefined,
  calls: [recordedCall({ status: 400 })],
})
const declined = saved('f1', {
  calls: [recordedCall({ response: callbackWith({ error: 'access_denied' }) })],
})
const mia = { persona: 'mia-keller-3f' }
const savedNew = saved('f2', { ...mia, outcome: 'created_new' })
const nobody = { client_id: undefined }

test.each<[what: string, flows: ListedFlow[], links: string[]]>([
  [
    'Use that asks for Create, Create and the next Use',
    [asked('f1'), saved('f2'), used('f3')],
    ['f1>f2', 'f2>f3'],
  ],
  [
    'a Create for a new persona, and its next Use',
    [asked('f1'), savedNew, used('f3', mia)],
    ['f1>f2', 'f2>f3'],
  ],
  ['the next Use after an upgrade', [upgraded('f1'), used('f2'), used('f3')], ['f1>f2']],
  ['no Use flows in a row', [used('f1'), used('f2')], []],
  ['flows of a story with others between them', [asked('f1'), ...between, saved('f4')], ['f1>f4']],
  ['no flows of an audit', [saved('f1', { audit: true }), used('f2', { audit: true })], []],
  ['a pushed request whose persona is not decided yet', [asked('f1'), waiting], ['f1>f2']],
  ['a flow with the same state rather than a later one', withStates, ['f1>f3']],
  ['a refused request, but nothing behind it', [asked('f1'), refused, used('f3')], ['f1>f2']],
  ['nothing behind an error of the user', [declined, used('f2')], []],
  ['no flows without a client', [asked('f1', nobody), saved('f2', nobody)], []],
])('The flows of one persona at one client are linked: %s', (_what, flows, links) => {
  expect(linksOf(...flows)).toEqual(links)
})
