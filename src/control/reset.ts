import { noContent } from '../http/reply.ts'
import { controlRoute } from './control-route.ts'

export const resetRoute = controlRoute({
  method: 'post',
  path: '/reset',
  operationId: 'reset',
  summary:
    'Back to the declared state: personas, expectations, scenarios, clock, journal, codes, tokens; clients and keys stay',
  responses: { 204: undefined },
  async handle({ tenant }) {
    await tenant.reset()
    return noContent()
  },
})
