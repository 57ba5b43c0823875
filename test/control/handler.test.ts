import { expectTypeOf, test } from 'vitest'
import type { OperationInput, OperationResult } from '../../src/control/contract/contract.ts'
import type { AnswerOf, ControlCall } from '../../src/control/handler.ts'

const clock = { now: '2026-01-01T00:00:00.000Z', base: '2026-01-01T00:00:00.000Z', advanced_seconds: 0, frozen: true }

// `npm run types` checks this file; at run time it says nothing.
test('The compiler accepts the answer that the contract has for an operation', () => {
  expectTypeOf<{ status: 200; body: typeof clock }>().toExtend<AnswerOf<'getClock'>>()
  expectTypeOf<{ status: 204 }>().toExtend<AnswerOf<'reset'>>()
})

test('The compiler rejects another status, another shape, and a body where the contract has none', () => {
  expectTypeOf<{ status: 201; body: typeof clock }>().not.toExtend<AnswerOf<'getClock'>>()
  expectTypeOf<{ status: 200; body: Omit<typeof clock, 'frozen'> }>().not.toExtend<AnswerOf<'getClock'>>()
  expectTypeOf<{ status: 204; body: typeof clock }>().not.toExtend<AnswerOf<'reset'>>()
})

test('The compiler accepts a page only from an operation that shows one', () => {
  type Page = { status: 200; page: { title: string; html: string } }
  expectTypeOf<Page>().toExtend<AnswerOf<'showActAs'>>()
  expectTypeOf<Page>().toExtend<AnswerOf<'actAs'>>()
  expectTypeOf<Page>().not.toExtend<AnswerOf<'getClock'>>()
})

test('The compiler gives a handler its input as the schemas parse it', () => {
  expectTypeOf<ControlCall<'getScenario'>['params']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<ControlCall<'getScenario'>['query']['wait']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ControlCall<'getClock'>['body']>().toEqualTypeOf<undefined>()
})

test('The compiler asks a caller for the input that an operation needs, and for no other', () => {
  expectTypeOf<{ params: { name: string } }>().toExtend<OperationInput<'getPersona'>>()
  expectTypeOf<object>().not.toExtend<OperationInput<'getPersona'>>()
  expectTypeOf<object>().toExtend<OperationInput<'reset'>>()
  expectTypeOf<OperationResult<'reset'>>().toEqualTypeOf<undefined>()
})
