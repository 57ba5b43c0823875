import { expectTypeOf, test } from 'vitest'
import type { OperationInput } from '../../../src/server/control/contract/contract.ts'
import type { AnswerOf, ControlCall } from '../../../src/server/control/handler.ts'

const clock = {
  now: '2026-01-01T00:00:00.000Z',
  base: '2026-01-01T00:00:00.000Z',
  advanced_seconds: 0,
  frozen: true,
}

// `npm run types` checks this file; at run time it says nothing.
test('The compiler rejects an answer that the contract does not have', () => {
  expectTypeOf<{ status: 200; body: typeof clock }>().toExtend<AnswerOf<'getClock'>>()
  expectTypeOf<{ status: 201; body: typeof clock }>().not.toExtend<AnswerOf<'getClock'>>()
  expectTypeOf<{ status: 200; body: Omit<typeof clock, 'frozen'> }>().not.toExtend<
    AnswerOf<'getClock'>
  >()
  expectTypeOf<{ status: 200; page: { title: string; html: string } }>().not.toExtend<
    AnswerOf<'getClock'>
  >()
  expectTypeOf<{ status: 204; body: typeof clock }>().not.toExtend<AnswerOf<'reset'>>()
})

test('The compiler knows the input of an operation as its schemas parse it', () => {
  expectTypeOf<ControlCall<'getScenario'>['query']['wait']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ControlCall<'getClock'>['body']>().toEqualTypeOf<undefined>()
  expectTypeOf<object>().not.toExtend<OperationInput<'getPersona'>>()
  expectTypeOf<object>().toExtend<OperationInput<'reset'>>()
})
