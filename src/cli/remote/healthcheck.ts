import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../age/json-object.ts'
import { loadSettings, type Settings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { pathOf } from '../../sandbox/addresses/addresses.ts'
import { certificateFileIn } from '../../tls/kept-certificate.ts'
import { print, visible } from '../terminal.ts'
import { callHttp } from './http-call.ts'

const LIMIT_MS = 3000

/**
 * Asks a sandbox whether it is healthy. Without `url` it is the one that `start` would make from the same settings.
 * By https the certificate of these settings is trusted beside the usual ones.
 * @throws Error when it is not there, is something else, or takes longer than three seconds
 */
export async function healthcheck(flags: Texts, { url }: { readonly url?: string }): Promise<void> {
  if (url !== undefined && !/^https?:\/\//i.test(url)) throw notAUrl(url)
  const settings = async () => (await loadSettings({ flags })).sandbox
  const address = `${(url ?? addressOf(await settings())).replace(/\/+$/, '')}/_sandbox/health`
  if (!URL.canParse(address)) throw notAUrl(url)

  const certificate = address.startsWith('https:') ? ownCertificate(await settings()) : undefined
  // Without a kept certificate it lives in the server's memory; on its own address no other server listens.
  const byPlace = url === undefined ? ({ kind: 'any' } as const) : undefined
  const trust = certificate === undefined ? byPlace : ({ kind: 'server', certificate } as const)
  const { status, headers, text } = await callHttp(address, { timeoutMs: LIMIT_MS, trust }).catch((cause: unknown) => {
    throw new Error(`${address}: ${reason(cause)}`, { cause })
  })
  if (headers['x-agekey-sandbox'] === undefined) {
    throw new Error(`${address}: something answers, but no agekey-sandbox`)
  }
  if (status !== 200) throw new Error(`${address}: unhealthy, status ${status}${reasonIn(text)}`)
  print(`${visible(address)}: healthy`)
}

const notAUrl = (url: string | undefined) =>
  ConfigError.of(`--url: ${JSON.stringify(url)} is not a URL like http://127.0.0.1:2435`)

function addressOf({ port, host, baseUrl, basePath, https, httpsCert }: Settings['sandbox']): string {
  if (port === 0)
    throw ConfigError.of('--url: needed, because port 0 stands for a free port that only the server knows')
  const protocol = https || httpsCert !== undefined ? 'https' : 'http'
  const local = new URL(`${protocol}://127.0.0.1:${port}`)
  // A server that listens on every address is asked on this machine's own.
  if (host === '::' || host === '::1') local.hostname = '[::1]'
  else if (host !== '0.0.0.0') local.hostname = host
  local.pathname = basePath ?? (baseUrl === undefined ? '' : pathOf(baseUrl))
  return local.href
}

/** `: ...`, in the words of the sandbox; empty when it gives none. */
function reasonIn(text: string): string {
  const json = parseJson(text)
  const reason = json.ok && isJsonObject(json.value) ? json.value['error_description'] : undefined
  return typeof reason === 'string' ? `: ${reason}` : ''
}

/** The certificate that a sandbox of these settings shows, when there is one already. */
function ownCertificate({ httpsCert, stateDir }: Settings['sandbox']): string | undefined {
  const file = httpsCert ?? (stateDir === undefined ? undefined : certificateFileIn(stateDir))
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  } catch {
    // Not made yet: then nothing but the usual certificates can be trusted.
    return undefined
  }
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${LIMIT_MS / 1000} seconds`
  return codeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error)
}
