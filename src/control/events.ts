import { eventStream } from '../http/reply.ts'
import { controlRoute } from './control-route.ts'

/** Milliseconds between two comment lines: they keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

export const eventsRoute = controlRoute({
  method: 'get',
  path: '/events',
  operationId: 'streamEvents',
  summary: 'Server-sent events: call, flow, scenario, reset',
  responses: { 200: undefined },
  handle({ tenant }) {
    return eventStream((send) => {
      send(': agekey-sandbox\n\n')
      const timer = setInterval(() => send(': still here\n\n'), COMMENT_EVERY_MS)
      timer.unref()
      const unsubscribe = tenant.journal.subscribe((event) => {
        if (event.tenant !== tenant.name) return
        // Of every event, id is the flow's; what tells of a whole flow or scenario has its own members beside it.
        const told = { id: event.flow ?? null, flow: event.flow ?? null, ...event.data }
        send(`event: ${event.type}\ndata: ${JSON.stringify(told)}\n\n`)
      })
      return () => {
        clearInterval(timer)
        unsubscribe()
      }
    })
  },
})
