import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { callbackOf } from '../../sandbox/journal/call-record.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import {
  RECORDING_FORMATS,
  type RecordedFile,
  type RecordingName,
  recordingFile,
} from '../../server/control/contract/recording-formats.ts'
import { DEFAULT_LIFETIMES } from '../../service/oidc/policy.ts'
import type { Lifetimes } from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { neededPersonas } from './needed-personas.ts'
import { readSteps } from './read-recording.ts'
import { isRequest, type Needs, type RecordedStep, type Recording } from './recording.ts'

type Place = Pick<Tenant, 'provider' | 'clients' | 'personas' | 'journal'>

type Write = (recording: Recording) => string

/** The writer of each format, imported on first use. */
const WRITERS: Readonly<Record<RecordingName, () => Promise<Write>>> = {
  scenario: onDemand(async () => (await import('./formats/scenario.ts')).scenarioText),
  vitest: onDemand(async () => (await import('./formats/javascript.ts')).vitestText),
  playwright: onDemand(async () => (await import('./formats/javascript.ts')).playwrightText),
  pytest: onDemand(async () => (await import('./formats/pytest.ts')).pytestText),
  har: onDemand(async () => (await import('./formats/har.ts')).harText),
  curl: onDemand(async () => (await import('./formats/curl.ts')).curlText),
}

/**
 * Writes a flow as a file.
 * @param options.version the version of the sandbox
 * @throws Refusal with status 409 when the format cannot repeat any call of the flow
 */
export async function exportFlow(
  flow: Flow,
  as: RecordingName,
  { tenant, version }: { readonly tenant: Place; readonly version: string },
): Promise<RecordedFile> {
  const write = await WRITERS[as]()
  const recording = await readRecording(flow, { tenant, version })
  // A HAR only lists calls. The other formats repeat calls: a test without calls would always pass.
  if (as !== 'har' && !recording.steps.some(isRequest)) {
    const [why = 'The journal holds none.'] = recording.leftOut
    throw Refusal.conflict(
      `flow: no call of ${flow.id} can be made again. ${why} Take as=har, which shows the calls`,
    )
  }
  const text = write(recording)
  return {
    file_name: recordingFile(flow.id, as),
    media_type: RECORDING_FORMATS[as].mediaType,
    text,
  }
}

async function readRecording(
  flow: Flow,
  { tenant, version }: { readonly tenant: Place; readonly version: string },
): Promise<Recording> {
  const { provider, personas } = tenant
  const replayed = await findReplayed(flow, tenant)
  const shortestLifetime = Math.min(...Object.values(provider.lifetimes))
  const { steps, leftOut } = readSteps(flow, { shortestLifetime, replayed })
  const needed = await Promise.all(
    [flow, replayed ?? []].flat().map((one) => neededPersonas(one, personas)),
  )
  const needs: Needs = {
    client: clientOf(flow, steps, tenant),
    personas: [...new Map(needed.flat().map((persona) => [persona.name, persona])).values()],
    profile: provider.profile === 'spec' ? undefined : provider.profile,
    lifetimes: ownLifetimes(provider.lifetimes),
    readings: readingsOf(flow),
    slowReplySeconds: steps.some(
      (step) => isRequest(step) && step.decision?.outcome?.endsWith('.slow'),
    )
      ? 0
      : undefined,
  }
  return { flow, baseUrl: provider.baseUrl, version, needs, leftOut, steps }
}

/** The earlier flow whose id_token this flow replayed; `undefined` if there is none. */
async function findReplayed(
  flow: Flow,
  { journal }: Pick<Tenant, 'journal'>,
): Promise<Flow | undefined> {
  if (!flow.outcome?.endsWith('.replayed')) return undefined
  const { tenant, client_id, id: before } = flow
  const filter = { flow: 'use', client_id, outcome: 'verified', before, audit: 'also' } as const
  for await (const one of journal.list(tenant, filter))
    if (callbackOf(one)?.['id_token'] === callbackOf(flow)?.['id_token'])
      return journal.find(tenant, one.id)
  return undefined
}

/** The redirect URI for a client that sent no registered redirect URI in the flow. */
const ANY_REDIRECT_URI = 'http://localhost:3000/callback'

/**
 * The client of the flow with the registered redirect URIs that it sent. An unregistered URI is
 * left out, because the new run must refuse it too.
 */
function clientOf(
  { client_id: clientId }: Flow,
  steps: readonly RecordedStep[],
  { clients }: Pick<Tenant, 'clients'>,
): Needs['client'] {
  // Request headers are not recorded, so a token call outside a flow names no client.
  if (clientId === undefined) {
    return {
      clientId: BUILTIN_CLIENT.clientId,
      redirectUris: [ANY_REDIRECT_URI],
      signingAlg: undefined,
    }
  }
  const client = clients.find(clientId)
  if (!client) return undefined
  const sent = steps.filter(isRequest).map(({ call }) => call.parameters['redirect_uri'])
  const registered = sent.filter((uri) => typeof uri === 'string').filter(client.allowsRedirectTo)
  const redirectUris = [...new Set(registered.length === 0 ? [ANY_REDIRECT_URI] : registered)]
  return { clientId, redirectUris, signingAlg: client.signingAlg }
}

function readingsOf({ readings = [] }: Flow): Record<string, string> | undefined {
  if (readings.length === 0) return undefined
  return Object.fromEntries(
    readings.map((id) => [id.slice(0, id.indexOf('=')), id.slice(id.indexOf('=') + 1)]),
  )
}

function ownLifetimes(lifetimes: Lifetimes): Needs['lifetimes'] {
  const usual: ReadonlyMap<string, number> = new Map(Object.entries(DEFAULT_LIFETIMES))
  const own = Object.entries(lifetimes).filter(([name, seconds]) => seconds !== usual.get(name))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}
