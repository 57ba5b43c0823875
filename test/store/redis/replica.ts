import { once } from 'node:events'
import { createServer, request as requestHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { buildCli } from '../../cli/built-cli.ts'
import { createClient, type HttpClient } from '../../support/http-client.ts'
import { createRelyingParty } from '../../support/relying-party.ts'

const ready = z.object({ event: z.literal('ready'), url: z.string() })

/** The address of all replicas together. */
export const BASE_URL = 'http://sandbox.localhost:2435'

/** The path of a control call. */
export const control = (path: string) => `/_sandbox/${path}`

/** The command line, and processes of it that share a store. */
export async function buildReplicas() {
  // Each test starts processes, beside others that do so too.
  vi.setConfig({ testTimeout: 60_000 })
  const cli = await buildCli()
  return {
    cli,
    async startReplica(store: string) {
      const { child, output } = await cli.start(['-p', '0', '--log', 'json', '--store', store, '--base-url', BASE_URL])
      const { url } = ready.parse(JSON.parse(output.split('\n', 1)[0] ?? ''))
      // The log of each call must be read: a full pipe would stop the process.
      child.stdout.resume()
      child.stderr.resume()
      return { child, url, http: createClient(url), party: createRelyingParty(createClient(url)) }
    },
  }
}

/** A client whose calls go to one server after the other, as through a load balancer. */
export function balanced(...clients: readonly HttpClient[]): HttpClient {
  let calls = 0
  const next = () => {
    const client = clients[calls++ % clients.length]
    if (!client) throw new RangeError('there must be a server to call')
    return client
  }
  return {
    get request() {
      return next().request
    },
  }
}

/** Starts a proxy that sends each request to the next server in turn. Returns its address. */
export async function startProxy(...urls: readonly string[]): Promise<string> {
  let calls = 0
  const proxy = createServer((request, response) => {
    const target = new URL(request.url ?? '/', urls[calls++ % urls.length])
    const { method, headers } = request
    const onward = requestHttp(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
