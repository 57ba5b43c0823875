import * as z from 'zod'
import { json } from '../http/reply.ts'
import { controlRoute } from './control-route.ts'

/** For container health checks: open to everybody, also where the control API asks for a token. */
export const healthRoute = controlRoute({
  method: 'get',
  path: '/health',
  operationId: 'getHealth',
  isOpen: true,
  summary: 'Whether the sandbox is up',
  responses: {
    200: z.object({ status: z.literal('ok'), version: z.string(), uptime: z.number().describe('Seconds') }),
  },
  handle: ({ world }) =>
    json(200, { status: 'ok', version: world.version, uptime: Math.round(world.uptimeSeconds() * 1000) / 1000 }),
})
