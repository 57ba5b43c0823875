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
 * Checks the input of an operation and carries it out, for a caller whom the guard has admitted.
 * @throws Refusal
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
 * Carries out an operation for a caller in this process; `context.signal` ends its wait.
 * @throws Refusal
 */
export async function performInProcess<Op extends OperationId>(
  operationId: Op,
  input: OperationInput<Op>,
  context: Omit<ControlContext, 'isForm'>,
): Promise<OperationResult<Op>> {
  const { body } = await performControl(operationId, input, { ...context, isForm: false })
  // The copy keeps the caller from changing what the sandbox holds.
  return readResult(operationId, body)
}

/** An operation without params, query or body ignores what is sent there. */
function parseInput<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  what: 'path' | 'query' | 'body',
): Value {
  const none: z.ZodType = NONE
  return parseWith(schema, schema === none ? undefined : value, what)
}
