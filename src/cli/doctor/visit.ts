import type { HttpAnswer } from '../../client/exchange.ts'
import { callHttp, type HttpCall } from '../remote/http-call.ts'

/** The configuration of the app. */
export interface DoctorVisit {
  /** The issuer exactly as the app has it. */
  readonly issuer: string
  /** The base URL by which this machine reaches the sandbox, if it differs from that in the issuer. */
  readonly internalUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly redirectUri?: string | undefined
  /** A certificate to trust, as PEM. */
  readonly ca?: string | undefined
  /** Milliseconds for each call. */
  readonly timeoutMs: number
  /** The clock of this machine, in epoch milliseconds. */
  now(): number
}

/** Calls like the app: with its trust, within the timeout of the visit. The sandbox neither records nor counts these calls. */
export const call = (
  url: string,
  { ca, timeoutMs }: DoctorVisit,
  { headers, ...request }: Pick<HttpCall, 'method' | 'headers' | 'body'> = {},
): Promise<HttpAnswer> =>
  callHttp(url, { ...request, headers: { 'X-Sandbox-Tool': 'doctor', ...headers }, timeoutMs, ca })

/** The flows of the service, by the last part of their issuers. */
export type FlowName = 'use' | 'create'

/**
 * The URL of a flow on this machine: below the internal URL if one is given, otherwise below the issuer. `undefined` when the issuer is
 * not one of this service.
 */
export function flowUrl({ issuer, internalUrl }: DoctorVisit, flow: FlowName): string | undefined {
  const [, base, tenant = ''] = /^(.*?)(\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)\/?$/.exec(issuer) ?? []
  if (base === undefined) return undefined
  return `${(internalUrl ?? base).replace(/\/+$/, '')}${tenant}/v1/oidc/${flow}`
}
