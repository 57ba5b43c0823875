import { onDemand } from '../files/on-demand.ts'
import { guardControl } from '../http/guard/guard.ts'
import type { HttpHost, RouteRow } from '../http/handler.ts'

/**
 * The endpoint of the Model Context Protocol for coding agents, behind the guard of the control API. It takes POST alone: without
 * sessions and streams there is nothing for GET and DELETE.
 */
export const createMcpRoutes = (host: HttpHost): readonly RouteRow[] => [
  {
    path: '/_sandbox/mcp',
    method: 'post',
    async handler(request, tenant) {
      guardControl(request, host.guard)
      const { answerMessage } = await loadMcp()
      return { reply: await answerMessage(request, tenant, host) }
    },
  },
]

/** Loaded with the first message: the SDK is needed nowhere else. */
const loadMcp = onDemand(() => import('./answer-message.ts'))
