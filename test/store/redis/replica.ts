import { vi } from 'vitest'
import * as z from 'zod'
import { buildCli } from '../../cli/built-cli.ts'
import { createClient, type HttpClient } from '../../support/http-client.ts'
import { createRelyingParty } from '../../support/relying-party.ts'

const ready = z.object({ event: z.literal('ready'), url: z.string() })

/** The path of a control call. */
export const control = (path: string) => `/_sandbox/${path}`

/** The command line, and processes of it that share a store. */
export function buildReplicas() {
  // Each test starts processes, beside others that do so too.
  vi.setConfig({ testTimeout: 60_000 })
  const cli = buildCli()
  return {
    cli,
    async startReplica(store: string) {
      const address = ['--base-url', 'http://sandbox.localhost:2435']
      const { child, output } = await cli.start(['-p', '0', '--log', 'json', '--store', store, ...address])
      const { url } = ready.parse(JSON.parse(output.split('\n', 1)[0] ?? ''))
      // The log of each call must be read: a full pipe would stop the process.
      child.stdout.resume()
      child.stderr.resume()
      return { child, http: createClient(url), party: createRelyingParty(createClient(url)) }
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
