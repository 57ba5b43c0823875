import { callHttp, type HttpAnswer, type HttpCall } from '../../src/cli/remote/http-call.ts'

const TIMEOUT_MS = 10_000

/** A call whose `Host` header can be chosen, which `fetch` forbids. */
export const rawCall = (
  url: string,
  { ca, ...call }: Omit<Partial<HttpCall>, 'trust'> & { readonly ca?: string | undefined } = {},
): Promise<HttpAnswer> => {
  const trust = ca === undefined ? undefined : ({ kind: 'issuer', certificate: ca } as const)
  return callHttp(url, { timeoutMs: TIMEOUT_MS, ...call, trust })
}
