import type * as z from 'zod'
import { parseWith } from '../http/parse.ts'
import { actAsHandlers } from './act-as.ts'
import { catalogHandlers } from './catalog.ts'
import { clockHandlers } from './clock.ts'
import {
  type OperationId,
  type OperationInput,
  type OperationResult,
  readResult,
  schemasOf,
} from './contract/contract.ts'
import { NONE } from './contract/operation.ts'
import { coverageHandlers } from './coverage.ts'
import { flowHandlers } from './flows.ts'
import type { AnswerOf, ControlContext, Handlers } from './handler.ts'
import { keyHandlers } from './keys.ts'
import { personaHandlers } from './personas.ts'
import { expectationHandlers, scenarioHandlers } from './queue.ts'
import { tenantHandlers } from './tenants.ts'

/** The handlers of all operations; the compiler checks their answers against the contract. */
const HANDLERS: Handlers = {
  ...catalogHandlers,
  ...personaHandlers,
  ...expectationHandlers,
  ...actAsHandlers,
  ...scenarioHandlers,
  ...flowHandlers,
  ...coverageHandlers,
  ...clockHandlers,
  ...keyHandlers,
  ...tenantHandlers,
}

/**
 * Checks the input of an operation and carries it out. The caller must have passed the guard.
 * @throws Refusal for invalid input, or when the sandbox cannot carry it out
 */
export async function performControl<Op extends OperationId>(
  operationId: Op,
  {
    params,
    query,
    body,
  }: { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown },
  context: ControlContext,
): Promise<AnswerOf<Op>> {
  const schemas = schemasOf(operationId)
  return HANDLERS[operationId]({
    ...context,
    params: parseInput(schemas.params, params, 'path'),
    query: parseInput(schemas.query, query, 'query'),
    body: parseInput(schemas.body, body, 'body'),
  })
}

/**
 * Carries out an operation for a caller in this process. Aborting `context.signal` ends a wait.
 * @throws Refusal for invalid input, or when the sandbox cannot carry it out
 */
export async function performInProcess<Op extends OperationId>(
  operationId: Op,
  input: OperationInput<Op>,
  context: Omit<ControlContext, 'isForm'>,
): Promise<OperationResult<Op>> {
  const { body } = await performControl(operationId, input, { ...context, isForm: false })
  // A copy, so that the caller cannot change the state of the sandbox.
  return readResult(operationId, body)
}

/** Parses one part of the input. A part that the operation does not have is ignored. */
function parseInput<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  what: 'path' | 'query' | 'body',
): Value {
  const none: z.ZodType = NONE
  return parseWith(schema, schema === none ? undefined : value, what)
}
