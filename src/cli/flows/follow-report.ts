import type { Flow } from '../../client/shapes.ts'
import { visible } from '../../files/visible.ts'
import { flowPageUrl, STATUS_COLORS } from '../remote/print-flow.ts'
import { paint, writeOut } from '../terminal.ts'
import type { SandboxEvent } from './event-stream.ts'

type ReportedEvent = Exclude<SandboxEvent, { kind: 'open' }>

/** Prints an event and the flow that it belongs to; `false` when nothing can be printed any more. */
export type FollowReport = (event: ReportedEvent, flow: Flow | undefined) => boolean

/** @param pages where a browser finds the sandbox or tenant */
export function createFollowReport(pages: string, json: boolean): FollowReport {
  const lineOf = json ? (event: ReportedEvent, flow: Flow | undefined) => jsonLine(event, flow, pages) : prettyLine
  return (event, flow) => writeOut(`${lineOf(event, flow)}\n`) === undefined
}

function jsonLine(event: ReportedEvent, flow: Flow | undefined, pages: string): string {
  switch (event.kind) {
    case 'call': {
      const { at, endpoint, method, path, status } = event
      return JSON.stringify({ event: 'call', at, endpoint, method, path, status, flow: flow && factsOf(flow, pages) })
    }
    case 'scenario':
      return JSON.stringify({ event: 'scenario', ...event.data })
    case 'reset':
      return JSON.stringify({ event: 'reset' })
  }
}

const factsOf = (flow: Flow, pages: string) => ({
  id: flow.id,
  flow: flow.flow,
  status: flow.status,
  summary: flow.summary,
  persona: flow.persona,
  outcome: flow.outcome,
  client_id: flow.client_id,
  state: flow.state,
  page: flowPageUrl(flow, pages),
})

function prettyLine(event: ReportedEvent, flow: Flow | undefined): string {
  switch (event.kind) {
    case 'call': {
      const { at, endpoint, method, path, status } = event
      const isFine = status > 0 && status < 400
      const cells = [
        paint('dim', at.slice(11, 19)),
        (flow?.id ?? '-').padEnd(5),
        (flow?.flow ?? '-').padEnd(7),
        endpoint.padEnd(6),
        paint(isFine ? 'green' : 'red', status === 0 ? 'dropped' : String(status)),
      ]
      if (!flow) return [...cells, `${method} ${visible(path)}`].join('  ')
      const text = visible(flow.summary)
      return [
        ...cells,
        paint(STATUS_COLORS[flow.status], flow.status.padEnd(8)),
        flow.status === 'error' ? paint('red', text) : text,
      ].join('  ')
    }
    case 'scenario': {
      const { name, status, step } = event.data
      const place = typeof step === 'number' ? `, step ${step + 1}` : ''
      return paint('dim', visible(`scenario ${String(name)}: ${String(status)}${place}`))
    }
    case 'reset':
      return paint('dim', 'reset')
  }
}
