import { actAsRoutes } from './act-as.ts'
import { catalogRoute } from './catalog.ts'
import { clockRoutes } from './clock.ts'
import type { ControlRoute } from './control-route.ts'
import { evaluateRoute } from './evaluate.ts'
import { eventsRoute } from './events.ts'
import { expectationRoutes } from './expectations.ts'
import { flowRoutes } from './flows.ts'
import { healthRoute } from './health.ts'
import { rotateKeysRoute } from './keys.ts'
import { personaRoutes } from './personas.ts'
import { resetRoute } from './reset.ts'
import { scenarioRoutes } from './scenarios.ts'
import { tenantRoutes } from './tenants.ts'

/** The control API, all of it, in the order of its documentation. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  healthRoute,
  catalogRoute,
  ...personaRoutes,
  evaluateRoute,
  ...expectationRoutes,
  ...clockRoutes,
  ...actAsRoutes,
  ...scenarioRoutes,
  ...flowRoutes,
  eventsRoute,
  rotateKeysRoute,
  resetRoute,
  ...tenantRoutes,
]
