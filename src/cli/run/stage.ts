import { connectSandbox } from '../../client/connect-sandbox.ts'
import { createRemoteTransport } from '../../client/remote-transport.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Settings } from '../../config/load-settings.ts'
import { CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE, URL_VARIABLE } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { checkedUrl, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { createFromSettings } from '../start/create-from-settings.ts'
import { createReport } from '../start/report.ts'

/** The sandbox in which scenarios run. */
export interface Stage {
  readonly api: SandboxApi
  /** What an app needs to use the sandbox, as environment variables. */
  environment(): Promise<Readonly<Record<string, string>>>
  /** Prints the URL, once. Requests may follow immediately, so a scenario is armed by then. */
  announce(): void
  /** Prepares the sandbox for the next scenario. */
  prepare(): Promise<void>
  leave(): Promise<void>
}

/** Opens a sandbox of its own, or the one at `--url`. @throws ConfigError for a bad flag */
export const openStage = async (settings: Settings, { url, tenant }: SandboxAddress): Promise<Stage> =>
  url === undefined ? openOwn(settings, tenant) : openRemote(url, settings, tenant)

/** The names of the personas in that sandbox; a new sandbox need not run yet. */
export async function personasOnStage(settings: Settings, { url, tenant }: SandboxAddress): Promise<readonly string[]> {
  const personas =
    url === undefined
      ? await loadPersonas(settings.sandbox.personas)
      : await openRemote(url, settings, tenant).api.personas.list()
  return personas.map(({ name }) => name)
}

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
    environment: async () => environmentOf({ ...client, baseUrl, controlToken: settings.sandbox.controlToken }),
    announce: () => report.ready({ client, url, baseUrl }),
    prepare: () => sandbox.reset(),
    leave: () => sandbox.close(),
  }
}

/** The sandbox also belongs to others: nothing is reset between scenarios. */
function openRemote(url: string, { sandbox: settings }: Settings, tenant: string | undefined): Stage {
  const { controlToken } = settings
  const sandbox = connectSandbox(checkedUrl(url, '--url'), controlToken === undefined ? {} : { controlToken })
  const api = tenant === undefined ? sandbox : sandbox.tenant(tenant)
  return {
    api,
    environment: () => environmentAt(api.baseUrl, settings),
    announce() {},
    prepare: async () => {},
    leave: () => sandbox.close(),
  }
}

/** The URL comes from the sandbox itself, since a container is reached by another one. Secrets of clients stay there. */
async function environmentAt(url: string, { controlToken, clients = [] }: Settings['sandbox']) {
  const [, name = 'default'] = /\/t\/([^/]+)$/.exec(url) ?? []
  const { call } = createRemoteTransport({ baseUrl: url, token: controlToken })
  const { base_url: baseUrl, clients: known } = await call('getTenant', { params: { name } })
  const [declared] = known
  if (!declared) return environmentOf({ ...BUILTIN_CLIENT, baseUrl, controlToken })
  const clientId = declared.client_id
  const clientSecret = clients.find((client) => client.clientId === clientId)?.clientSecret
  return environmentOf({ baseUrl, clientId, clientSecret, controlToken })
}

interface StagedApp {
  readonly baseUrl: string
  readonly clientId: string
  /** Absent when only the sandbox knows the secret. */
  readonly clientSecret?: string | undefined
  readonly controlToken?: string | undefined
}

function environmentOf({ baseUrl, clientId, clientSecret, controlToken }: StagedApp): Record<string, string> {
  return {
    [URL_VARIABLE]: baseUrl,
    [CLIENT_ID_VARIABLE]: clientId,
    ...(clientSecret === undefined ? {} : { [CLIENT_SECRET_VARIABLE]: clientSecret }),
    ...(controlToken === undefined ? {} : { AGEKEY_SANDBOX_CONTROL_TOKEN: controlToken }),
  }
}
