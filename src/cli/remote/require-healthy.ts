import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../age/json-object.ts'
import type { ExchangeOptions } from '../../client/exchange.ts'
import type { Settings } from '../../config/load-settings.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { certificateFileIn } from '../../tls/kept-certificate.ts'
import { callHttp } from './http-call.ts'
import type { ReachedSandbox } from './reach-sandbox.ts'

const MAX_WAIT_MS = 3000

export const healthAddress = (base: string): string => `${base.replace(/\/+$/, '')}/_sandbox/health`

/**
 * Checks the health of the sandbox at an address. By https the certificate of the settings is trusted beside the usual ones.
 * @throws Error with one line: it is not there, is something else, is unhealthy, or takes longer than three seconds
 */
export async function requireHealthy({
  url,
  settings,
  isLocal,
}: Pick<ReachedSandbox, 'url' | 'settings' | 'isLocal'>): Promise<void> {
  const address = healthAddress(url)
  const trust = address.startsWith('https:') ? trustOf(settings, isLocal) : {}
  const { status, headers, text } = await callHttp(address, { timeoutMs: MAX_WAIT_MS, ...trust }).catch(
    (cause: unknown) => {
      throw new Error(`${address}: ${reason(cause)}`, { cause })
    },
  )
  if (headers['x-agekey-sandbox'] === undefined) {
    throw new Error(`${address}: something answers, but no agekey-sandbox`)
  }
  if (status !== 200) throw new Error(`${address}: unhealthy, status ${status}${reasonIn(text)}`)
}

/** `: ...`, in the words of the sandbox; empty when it gives none. */
function reasonIn(text: string): string {
  const json = parseJson(text)
  const reason = json.ok && isJsonObject(json.value) ? json.value['error_description'] : undefined
  return typeof reason === 'string' ? `: ${reason}` : ''
}

/** The certificate that a sandbox of these settings shows, when there is one already. */
function trustOf({ httpsCert, stateDir }: Settings['sandbox'], isLocal: boolean): ExchangeOptions {
  const file = httpsCert ?? (stateDir === undefined ? undefined : certificateFileIn(stateDir))
  try {
    if (file !== undefined) return { certificate: readFileSync(file, 'utf8') }
  } catch {
    // Not made yet: then nothing but the usual certificates can be trusted.
  }
  // Without a kept certificate it lives in the server's memory; on its own address no other server listens.
  return { anyCertificate: isLocal }
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${MAX_WAIT_MS / 1000} seconds`
  return codeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error)
}
