import type { Flow } from '../../client/shapes.ts'
import { visible } from '../../files/visible.ts'
import { paint } from '../terminal.ts'

export const STATUS_COLORS = { ok: 'green', waiting: 'yellow', declined: 'yellow', error: 'red' } as const

/** A flow in one line: `f12 use error teen-16: ...`. */
export function flowLine({ id, flow, status, summary }: Flow): string {
  return `${paint('bold', id)} ${flow} ${paint(STATUS_COLORS[status], status)}: ${visible(summary)}`
}

/** The page that shows a flow. @param pages where browsers find the sandbox or tenant that it is in */
export const flowPageUrl = ({ id }: Pick<Flow, 'id'>, pages: string): string => `${pages}/_sandbox/console/flows/${id}`
