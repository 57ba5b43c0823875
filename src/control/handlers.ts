import { actAsHandlers } from './act-as.ts'
import { catalogHandlers } from './catalog.ts'
import { evaluateHandlers } from './evaluate.ts'
import { expectationHandlers } from './expectations.ts'
import { flowHandlers } from './flows.ts'
import type { Handlers } from './handler.ts'
import { personaHandlers } from './personas.ts'
import { scenarioHandlers } from './scenarios.ts'
import { tenantHandlers, tenantPartHandlers } from './tenants.ts'

/** What does each operation of the contract; the compiler checks that each answers as the contract says. */
export const HANDLERS: Handlers = {
  ...catalogHandlers,
  ...personaHandlers,
  ...evaluateHandlers,
  ...expectationHandlers,
  ...actAsHandlers,
  ...scenarioHandlers,
  ...flowHandlers,
  ...tenantPartHandlers,
  ...tenantHandlers,
}
