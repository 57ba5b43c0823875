import type * as z from 'zod'
import { catalogOperations } from './catalog.ts'
import { expectationOperations } from './expectations.ts'
import { flowOperations } from './flows.ts'
import type { Operation } from './operation.ts'
import { actAsOperations, personaOperations } from './personas.ts'
import { scenarioOperations } from './scenarios.ts'
import { tenantOperations, tenantPartOperations } from './tenants.ts'

/** The control API, all of it, by `operationId` and in the order of its documentation. */
export const OPERATIONS = {
  ...catalogOperations,
  ...personaOperations,
  ...expectationOperations,
  ...actAsOperations,
  ...scenarioOperations,
  ...flowOperations,
  ...tenantPartOperations,
  ...tenantOperations,
} as const satisfies Record<string, Operation>

type Operations = typeof OPERATIONS
export type OperationId = keyof Operations

/** What an operation is given, as its caller writes it. */
export type OperationInput<Op extends OperationId> = OptionalWhereNone<{
  params: z.input<Operations[Op]['params']>
  query: z.input<Operations[Op]['query']>
  body: z.input<Operations[Op]['body']>
}>

/** What a success answers. */
export type OperationResult<Op extends OperationId> = z.output<Operations[Op]['result']>

type OptionalWhereNone<Input> = {
  readonly [Part in keyof Input as undefined extends Input[Part] ? never : Part]: Input[Part]
} & { readonly [Part in keyof Input as undefined extends Input[Part] ? Part : never]?: Input[Part] }
