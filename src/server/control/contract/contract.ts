import type * as z from 'zod'
import { checkAgainst, problemLines } from '../../../service/text/schema-problems.ts'
import { catalogOperations } from './catalog.ts'
import { clockOperations } from './clock.ts'
import { coverageOperations } from './coverage.ts'
import { flowOperations } from './flows.ts'
import { keyOperations } from './keys.ts'
import { errorSchema, type Operation } from './operation.ts'
import { actAsOperations, personaOperations } from './personas.ts'
import { expectationOperations, scenarioOperations } from './queue.ts'
import { tenantOperations } from './tenants.ts'

/** All operations of the control API by `operationId`, in the order of the documentation. */
export const OPERATIONS = {
  ...catalogOperations,
  ...personaOperations,
  ...expectationOperations,
  ...actAsOperations,
  ...scenarioOperations,
  ...flowOperations,
  ...coverageOperations,
  ...clockOperations,
  ...keyOperations,
  ...tenantOperations,
} as const satisfies Record<string, Operation>

export type Operations = typeof OPERATIONS
export type OperationId = keyof Operations

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
)

/** The input of an operation before it is parsed. */
export type OperationInput<Op extends OperationId> = OptionalWhereNone<{
  params: Immutable<z.input<Operations[Op]['params']>>
  query: Immutable<z.input<Operations[Op]['query']>>
  body: Immutable<z.input<Operations[Op]['body']>>
}>

export type OperationResult<Op extends OperationId> = z.output<Operations[Op]['result']>

/** The schemas of an operation, typed for functions over any operation. */
export const schemasOf = <Op extends OperationId>(operationId: Op): Schemas[Op] =>
  SCHEMAS[operationId]

type Schemas = {
  readonly [Op in OperationId]: {
    readonly [Part in 'params' | 'query' | 'body' | 'result']: z.ZodType<
      z.output<Operations[Op][Part]>
    >
  }
}
const SCHEMAS: Schemas = OPERATIONS

/**
 * Parses the result of a call by the contract.
 * @throws Error when the result has another shape
 */
export function readResult<Op extends OperationId>(
  operationId: Op,
  body: unknown,
): OperationResult<Op> {
  const checked = checkAgainst(schemasOf(operationId).result, body)
  if (checked.kind === 'valid') return checked.value
  const [problem] = problemLines(checked, 'result')
  throw new Error(`${operationId}: the answer is not the one that this version knows; ${problem}`)
}

/** Parses the body of a refusal; empty when another server answered, such as a proxy. */
export const readError = (body: unknown): Partial<z.output<typeof errorSchema>> =>
  errorSchema.safeParse(body).data ?? {}

type OptionalWhereNone<Input> = {
  readonly [Part in keyof Input as undefined extends Input[Part] ? never : Part]: Input[Part]
} & { readonly [Part in keyof Input as undefined extends Input[Part] ? Part : never]?: Input[Part] }

/** A deeply readonly type, so that callers and handlers may pass readonly data. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value
