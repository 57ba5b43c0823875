import { familyOf } from '../families.ts'
import type { AuditRow } from '../outcome.ts'

const COMMON = {
  ...familyOf('state'),
  flow: 'use',
  family: 'state',
  correctClient: 'refuse',
  twin: 'use/verified',
  since: '0.3',
  breaks: ['state', 'nonce'],
} as const

/** Right answers that a browser brings in a wrong way. No answer of the sandbox makes them, so only an audit can try them. */
export const BROUGHT_ANSWERS: readonly AuditRow[] = [
  {
    ...COMMON,
    name: 'callback.of_other_browser',
    summary: 'A browser that has begun a flow of its own brings the right answer to a flow of another browser.',
    rule: 'state belongs to the browser that the request was made for: compare it with the session, not with a list of all requests.',
    severity: 8.1,
    cwe: [352, 384],
    harm: 'Somebody else proves an age, and a child opens the address of that answer.',
  },
  {
    ...COMMON,
    name: 'callback.twice',
    level: 'should',
    summary: 'The same browser brings an answer once more, after the session that it opened is over.',
    rule: 'A state that has been answered is spent: remove it from the session before the answer is read.',
    severity: 6.5,
    cwe: [294],
    refs: ['RFC 9700 section 2.1'],
    harm: 'Whoever finds the address of an answer in the history of a browser opens a session with it again.',
  },
]
