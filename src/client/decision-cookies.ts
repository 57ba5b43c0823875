import { AUDIT_COOKIE, OUTCOME_COOKIE, PERSONA_COOKIE } from '../sandbox/decision/sources.ts'

export interface DecisionCookie {
  readonly name: string
  /** Empty: it names nothing. */
  readonly value: string
  /** Its path alone gets the cookie: that of the browser flows of the sandbox or tenant. */
  readonly url: string
}

interface ActingOptions {
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** Marks its flows as those of an audit. */
  readonly audit?: boolean
}

/** The cookies by which a browser acts as a persona, and by which its flows end with an outcome. */
export const decisionCookies = (
  baseUrl: string,
  { persona = '', outcome = '', audit = false }: ActingOptions,
): DecisionCookie[] => {
  const url = `${baseUrl.replace(/\/+$/, '')}/v1/oidc/`
  return [
    { name: PERSONA_COOKIE, value: persona, url },
    { name: OUTCOME_COOKIE, value: outcome, url },
    ...(audit ? [{ name: AUDIT_COOKIE, value: '1', url }] : []),
  ]
}
