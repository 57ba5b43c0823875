import { connectSandbox } from '../../client/connect-sandbox.ts'
import { createRemoteTransport } from '../../client/remote-transport.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Settings } from '../../config/load-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { packageVersion } from '../../package-root.ts'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { checkedUrl } from '../remote/reach-sandbox.ts'
import { createFromSettings } from '../start/create-from-settings.ts'
import { createReport } from '../start/report.ts'

/** The flags that say which sandbox scenarios run in. */
interface StageOptions {
  readonly url?: string
  readonly tenant?: string
}

/** What an app needs to use the sandbox. */
export interface StagedApp {
  readonly baseUrl: string
  readonly clientId: string
  /** Absent when only the sandbox knows it. */
  readonly clientSecret?: string | undefined
  readonly controlToken?: string | undefined
}

/** The sandbox that scenarios run in. */
export interface Stage {
  readonly api: SandboxApi
  appSettings(): Promise<StagedApp>
  /** Prints the address, once. Requests may follow at once, so a scenario is armed by then. */
  announce(): void
  /** What the next scenario begins with. */
  prepare(): Promise<void>
  leave(): Promise<void>
}

/** A sandbox of its own, or the one at `--url`. @throws ConfigError for a bad flag */
export const openStage = async (settings: Settings, { url, tenant }: StageOptions): Promise<Stage> =>
  url === undefined ? openOwn(settings, tenant) : openRemote(url, settings, tenant)

async function openOwn(settings: Settings, tenant: string | undefined): Promise<Stage> {
  const { log, warnings } = settings
  if (tenant !== undefined) throw ConfigError.of('--tenant: is for a sandbox at --url; give both or neither')
  const report = createReport(log, createClock().now)
  for (const warning of warnings) report.warning(warning)
  const { warning, defect } = report
  const sandbox = await createFromSettings(settings, { warning, defect })
  const { client, url, baseUrl } = sandbox
  return {
    api: sandbox,
    appSettings: async () => ({ ...client, baseUrl, controlToken: settings.sandbox.controlToken }),
    announce: () => report.ready({ ...client, url, baseUrl, version: packageVersion() }),
    prepare: () => sandbox.reset(),
    leave: () => sandbox.close(),
  }
}

/** What stands there belongs to others too: nothing is reset between scenarios. */
function openRemote(url: string, { sandbox: settings }: Settings, tenant: string | undefined): Stage {
  const { controlToken } = settings
  const sandbox = connectSandbox(checkedUrl(url, '--url'), controlToken === undefined ? {} : { controlToken })
  const api = tenant === undefined ? sandbox : sandbox.tenant(tenant)
  return {
    api,
    appSettings: () => settingsAt(api.baseUrl, settings),
    announce() {},
    prepare: async () => {},
    leave: () => sandbox.close(),
  }
}

/** By what the sandbox calls itself: one in a container is reached by another address. Secrets of clients stay there. */
async function settingsAt(url: string, { controlToken, clients = [] }: Settings['sandbox']): Promise<StagedApp> {
  const [, name = 'default'] = /\/t\/([^/]+)$/.exec(url) ?? []
  const { base_url: baseUrl, clients: known } = await createRemoteTransport({ baseUrl: url, token: controlToken }).call(
    'getTenant',
    { params: { name } },
  )
  const [declared] = known
  if (!declared) return { ...BUILTIN_CLIENT, baseUrl, controlToken }
  const clientId = declared.client_id
  const clientSecret = clients.find((client) => client.clientId === clientId)?.clientSecret
  return { baseUrl, clientId, clientSecret, controlToken }
}
