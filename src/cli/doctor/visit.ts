import type { HttpAnswer } from '../../client/exchange.ts'
import { callHttp, type HttpCall } from '../remote/http-call.ts'

/** What the app has in its configuration. */
export interface DoctorVisit {
  /** As the app has it, to the letter. */
  readonly issuer: string
  /** The base URL by which this machine reaches the sandbox, when that is not the one in the issuer. */
  readonly internalUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly redirectUri?: string | undefined
  /** A certificate to trust, as PEM. */
  readonly ca?: string | undefined
  /** For each call. */
  readonly timeoutMs: number
  /** The clock of this machine, in epoch milliseconds. */
  now(): number
}

/** Calls as the app would: with its trust and the timeout of the visit. The sandbox neither records nor counts it. */
export const call = (
  url: string,
  { ca, timeoutMs }: DoctorVisit,
  { headers, ...request }: Pick<HttpCall, 'method' | 'headers' | 'body'> = {},
): Promise<HttpAnswer> =>
  callHttp(url, { ...request, headers: { 'X-Sandbox-Tool': 'doctor', ...headers }, timeoutMs, ca })

/** The flows of the service, by the last part of their issuers. */
export type FlowName = 'use' | 'create'

/**
 * Where this machine finds a flow: below the internal URL when one is given, else below the issuer. `undefined` when the
 * issuer is none of this service.
 */
export function flowUrl({ issuer, internalUrl }: DoctorVisit, flow: FlowName): string | undefined {
  const [, base, tenant = ''] = /^(.*?)(\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)\/?$/.exec(issuer) ?? []
  if (base === undefined) return undefined
  return `${(internalUrl ?? base).replace(/\/+$/, '')}${tenant}/v1/oidc/${flow}`
}
