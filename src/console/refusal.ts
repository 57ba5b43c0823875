import * as z from 'zod'
import type { CallRecord } from '../sandbox/journal/journal.ts'

interface RefusedCall {
  readonly status: number
  readonly description: string | undefined
}

const refused = z.object({ error_description: z.string() })

/** Why a call was refused, when no finding says it: an unknown persona, a client that did not authenticate. */
export function refusalOf({ status, findings, response }: CallRecord): RefusedCall | undefined {
  if (status < 400 || findings.some(({ level }) => level === 'error')) return undefined
  return { status, description: refused.safeParse(response).data?.error_description }
}
