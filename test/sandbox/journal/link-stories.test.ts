import { expect, test } from 'vitest'
import type { ListedFlow } from '../../../src/sandbox/journal/journal.ts'
import { linkStories } from '../../../src/sandbox/journal/link-stories.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/listed-flow.ts'

const of = (id: string, changes: Partial<ListedFlow>) => listedFlow({ id, client_id: 'shop', ...changes })
const asked = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { persona: 'no-age-key', outcome: 'create_requested', ...changes })
const saved = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { flow: 'create', persona: 'no-age-key', outcome: 'created', ...changes })
const used = (id: string, changes: Partial<ListedFlow> = {}) =>
  of(id, { persona: 'no-age-key', outcome: 'verified', ...changes })
const upgraded = (id: string) => used(id, { calls: [recordedCall(), recordedCall({ endpoint: 'E5', status: 200 })] })

/** Links as `f1>f2`, of flows in the order in which they began. */
const linksOf = (...flows: ListedFlow[]) =>
  [...linkStories(flows.reverse())].flatMap(([id, { after }]) => (after === undefined ? [] : [`${id}>${after}`]))

test('Use that asks for Create, the Create flow and the next Use of a persona are one story', () => {
  expect(linksOf(asked('f1'), saved('f2'), used('f3'))).toEqual(['f1>f2', 'f2>f3'])
})

test('The next Use after an upgrade continues it', () => {
  expect(linksOf(upgraded('f1'), used('f2'), used('f3'))).toEqual(['f1>f2'])
})

test('Use flows of one persona in a row are stories of their own', () => {
  expect(linksOf(used('f1'), used('f2'))).toEqual([])
})

test('Flows of other personas and clients between two flows of a story do not part it', () => {
  const between = [used('f2', { persona: 'teen-16' }), asked('f3', { client_id: 'other' })]
  expect(linksOf(asked('f1'), ...between, saved('f4'))).toEqual(['f1>f4'])
})

test('A pushed request whose persona is not decided yet continues the flow that asked for it', () => {
  const pushed = of('f2', { flow: 'create', ended_at: undefined, calls: [recordedCall({ endpoint: 'E2' })] })
  expect(linksOf(asked('f1'), pushed)).toEqual(['f1>f2'])
})

test('A flow with the same state is preferred to a later one of the same persona', () => {
  expect(linksOf(asked('f1', { state: 's' }), asked('f2', { state: 't' }), saved('f3', { state: 's' }))).toEqual([
    'f1>f3',
  ])
})

test('What was refused continues a story, and is continued by nothing', () => {
  const refused = saved('f2', { persona: undefined, outcome: undefined, calls: [recordedCall({ status: 400 })] })
  expect(linksOf(asked('f1'), refused, used('f3'))).toEqual(['f1>f2'])
  const declined = [recordedCall({ response: callbackWith({ error: 'access_denied' }) })]
  expect(linksOf(saved('f1', { calls: declined }), used('f2'))).toEqual([])
})

test('Flows without a client belong to no story', () => {
  expect(linksOf(asked('f1', { client_id: undefined }), saved('f2', { client_id: undefined }))).toEqual([])
})
