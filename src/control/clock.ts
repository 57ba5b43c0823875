import { json } from '../http/reply.ts'
import { clockMoveSchema } from '../sandbox/clock/clock-move.ts'
import { controlRoute } from './control-route.ts'
import { clockShape } from './shapes.ts'

export const clockRoutes = [
  controlRoute({
    method: 'get',
    path: '/clock',
    operationId: 'getClock',
    summary: 'The clock: every lifetime and every age is judged by it',
    responses: { 200: clockShape },
    handle: ({ tenant }) => json(200, tenant.clock.state()),
  }),
  controlRoute({
    method: 'post',
    path: '/clock',
    operationId: 'moveClock',
    summary: 'Moves the clock; members apply in the order reset, set, freeze, advance',
    body: clockMoveSchema,
    responses: { 200: clockShape },
    async handle({ tenant, body }) {
      await tenant.moveClock(body)
      return json(200, tenant.clock.state())
    },
  }),
]
