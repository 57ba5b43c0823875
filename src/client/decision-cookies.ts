import { AUDIT_COOKIE, OUTCOME_COOKIE, PERSONA_COOKIE } from '../sandbox/decision/sources.ts'

export interface DecisionCookie {
  readonly name: string
  /** Empty for a cookie that names nothing. */
  readonly value: string
  /** The path of the browser flows of the sandbox or tenant; no other path gets the cookie. */
  readonly url: string
}

interface ActingOptions {
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** Marks the flows as those of an audit. */
  readonly audit?: boolean
}

/** The cookies by which a browser acts as a persona and forces an outcome. */
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
