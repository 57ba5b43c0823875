import type { HttpAnswer } from '../../src/server/client/exchange.ts'
import { callHttp, type HttpCall } from '../../src/tools/cli/remote/reach-sandbox.ts'

const TIMEOUT_MS = 10_000

/** A call whose `Host` header can be chosen, which `fetch` forbids. */
export const rawCall = (url: string, call: Partial<HttpCall> = {}): Promise<HttpAnswer> =>
  callHttp(url, { timeoutMs: TIMEOUT_MS, ...call })
