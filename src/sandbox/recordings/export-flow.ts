import { parseCalendarDate, parseInstant, parseRelativeDate } from '../../age/calendar.ts'
import type { AgeSignal } from '../../age/signal.ts'
import { onDemand } from '../../files/on-demand.ts'
import { DEFAULT_LIFETIMES } from '../../oidc/decisions.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import type { Lifetimes } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { BUILTIN_CLIENT } from '../clients/clients.ts'
import { type CallRecord, callbackOf } from '../journal/call-record.ts'
import type { Flow } from '../journal/journal.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import { resolveDate, resolvePersona, resolveSignal } from '../personas/age-keys.ts'
import { loadPersonas } from '../personas/load-personas.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Personas } from '../personas/personas.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { readSteps } from './read-recording.ts'
import {
  isRequest,
  type Needs,
  RECORDING_FORMATS,
  type RecordedStep,
  type Recording,
  type RecordingName,
  recordingFile,
} from './recording.ts'

/** A flow as a file. */
export interface RecordedFile {
  readonly file_name: string
  readonly media_type: string
  readonly text: string
}

type Place = Pick<Tenant, 'provider' | 'clients' | 'personas' | 'journal'>

type Write = (recording: Recording) => string

/** Each format is loaded on first use. */
const WRITERS: Readonly<Record<RecordingName, () => Promise<Write>>> = {
  scenario: onDemand(async () => (await import('./formats/scenario.ts')).scenarioText),
  vitest: onDemand(async () => (await import('./formats/javascript.ts')).vitestText),
  playwright: onDemand(async () => (await import('./formats/javascript.ts')).playwrightText),
  pytest: onDemand(async () => (await import('./formats/pytest.ts')).pytestText),
  har: onDemand(async () => (await import('./formats/har.ts')).harText),
  curl: onDemand(async () => (await import('./formats/curl.ts')).curlText),
}

/**
 * Writes a flow as a file. @throws Refusal 409 when none of its calls can be made again in this format
 * @param options.version of the sandbox
 */
export async function exportFlow(
  flow: Flow,
  as: RecordingName,
  { tenant, version }: { readonly tenant: Place; readonly version: string },
): Promise<RecordedFile> {
  const write = await WRITERS[as]()
  const recording = await readRecording(flow, { tenant, version })
  // A HAR lists calls. Any other format repeats them; without calls, a test would pass whatever an app does.
  if (as !== 'har' && !recording.steps.some(isRequest)) {
    const [why = 'The journal holds none.'] = recording.leftOut
    throw Refusal.conflict(`flow: no call of ${flow.id} can be made again. ${why} Take as=har, which shows the calls`)
  }
  const text = write(recording)
  return { file_name: recordingFile(flow.id, as), media_type: RECORDING_FORMATS[as].mediaType, text }
}

async function readRecording(
  flow: Flow,
  { tenant, version }: { readonly tenant: Place; readonly version: string },
): Promise<Recording> {
  const { provider, personas } = tenant
  const replayed = await findReplayed(flow, tenant)
  const shortestLifetime = Math.min(...Object.values(provider.lifetimes))
  const { steps, leftOut } = readSteps(flow, { shortestLifetime, replayed })
  const needed = await Promise.all([flow, replayed ?? []].flat().map((one) => neededPersonas(one, personas)))
  const needs: Needs = {
    client: clientOf(flow, steps, tenant),
    personas: [...new Map(needed.flat().map((persona) => [persona.name, persona])).values()],
    profile: provider.profile === 'spec' ? undefined : provider.profile,
    lifetimes: ownLifetimes(provider.lifetimes),
    readings: readingsOf(flow),
    slowReplySeconds: steps.some((step) => isRequest(step) && step.decision?.outcome?.endsWith('.slow'))
      ? 0
      : undefined,
  }
  return { flow, baseUrl: provider.baseUrl, version, needs, leftOut, steps }
}

/** The flow whose id_token was sent again in this one. */
async function findReplayed(flow: Flow, { journal }: Pick<Tenant, 'journal'>): Promise<Flow | undefined> {
  if (!flow.outcome?.endsWith('.replayed')) return undefined
  const { tenant, client_id, id: before } = flow
  const filter = { flow: 'use', client_id, outcome: 'verified', before, audit: 'also' } as const
  for await (const one of journal.list(tenant, filter))
    if (callbackOf(one)?.['id_token'] === callbackOf(flow)?.['id_token']) return journal.find(tenant, one.id)
  return undefined
}

/** Stands for a redirect URI of a client that never sent one. */
const ANY_REDIRECT_URI = 'http://localhost:3000/callback'

/** The client of the flow, with its registered redirect URIs: an unregistered one must stay refused. */
function clientOf(
  { client_id: clientId }: Flow,
  steps: readonly RecordedStep[],
  { clients }: Pick<Tenant, 'clients'>,
): Needs['client'] {
  // The header of a token call is not recorded, so a token call outside a flow names no client.
  if (clientId === undefined) {
    return { clientId: BUILTIN_CLIENT.clientId, redirectUris: [ANY_REDIRECT_URI], signingAlg: undefined }
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
  return Object.fromEntries(readings.map((id) => [id.slice(0, id.indexOf('=')), id.slice(id.indexOf('=') + 1)]))
}

function ownLifetimes(lifetimes: Lifetimes): Needs['lifetimes'] {
  const usual: ReadonlyMap<string, number> = new Map(Object.entries(DEFAULT_LIFETIMES))
  const own = Object.entries(lifetimes).filter(([name, seconds]) => seconds !== usual.get(name))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}

/**
 * The personas that a recording must contain, so that it runs in a new sandbox and in this one: each persona of the flow that either
 * lacks, or whose age key there differs from that in the flow. Each is written as before the flow, with relative dates, so that the
 * recording runs on every day.
 */
export async function neededPersonas(flow: Flow, personas: Pick<Personas, 'find'>): Promise<Persona[]> {
  const names = new Set(flow.calls.flatMap(({ decision }) => decision?.persona ?? []))
  const [first] = flow.calls
  if (names.size === 0 || !first) return []
  const builtIns = await loadPersonas()
  const needed: Persona[] = []
  for (const name of names) {
    const builtIn = builtIns.find((persona) => persona.name === name)
    const current = await personas.find(name)
    const held = heldBy(name, flow)
    const fits = (persona: Persona | undefined) => persona && (held === undefined || holds(persona, held))
    if (builtIn && fits(builtIn)) {
      // The persona here may hold what the flow itself has saved.
      if (!fits(current)) needed.push(builtIn)
      continue
    }
    const known = current ?? builtIn ?? unknownPersona(name, builtIns)
    const { signals, base } = held ?? { signals: unsavedSignals(known, flow), base: baseOf(first) }
    const { age_key: _, ...persona } = known
    const relative = signals.map((signal) => relativeSignal(signal, { persona: known, base }))
    needed.push(relative.length === 0 ? persona : { ...persona, age_key: { signals: relative } })
  }
  return needed
}

interface Held {
  readonly signals: readonly AgeSignal[]
  /** The base of relative dates, in epoch milliseconds. */
  readonly base: number
}

/** What the persona held when a Use flow was answered; `undefined` when the answer does not depend on that. */
function heldBy(name: string, { signals, calls }: Flow): Held | undefined {
  const call = calls.findLast(({ decision, endpoint }) => decision?.persona === name && isUse(endpoint))
  const outcome = findOutcome('use', call?.decision?.outcome ?? '')
  if (!call || !signals || (outcome?.ending?.kind === 'verified' && outcome.ending.allFalse)) return undefined
  return { signals, base: baseOf(call) }
}

/** The base of relative dates when a call was made, in epoch milliseconds. */
function baseOf({ at, clock = {} }: Pick<CallRecord, 'at' | 'clock'>): number {
  const { base, advanced_seconds: advanced = 0 } = clock
  return base === undefined ? Date.parse(at) - advanced * 1000 : Date.parse(base)
}

/** What a persona holds now, without what the flow saved: Create replaces all signals, Upgrade adds some. */
function unsavedSignals({ age_key: key }: Persona, { flow, calls }: Flow): readonly AgeSignal[] {
  if (flow === 'create') return []
  const added = calls
    .filter(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
    .map(({ parameters }) => parameters)
  const isAdded = ({ verified_at: at }: AgeSignal) => JSON.stringify(added).includes(JSON.stringify(at))
  return key?.signals.filter((signal) => !isAdded(signal)) ?? []
}

const isUse = (endpoint: string) => endpoint === 'E1' || endpoint === 'choice'

const holds = (persona: Persona, { signals, base }: Held): boolean =>
  JSON.stringify((resolvePersona(persona, base).age_key?.signals ?? []).map(signalText)) ===
  JSON.stringify(signals.map(signalText))

/** Instants are compared by their day: some milliseconds pass between the evaluation and its record. */
const signalText = ({ method, age, verified_at, provenance, attributes, iso_27566_1 }: AgeSignal): string =>
  JSON.stringify([method, age, verified_at.slice(0, 10), provenance, attributes ?? null, iso_27566_1 ?? null])

/** A signal as the persona still declares it; plain dates become relative. */
function relativeSignal(signal: AgeSignal, { persona, base }: { persona: Persona; base: number }): AgeSignal {
  const text = signalText(resolveSignal(signal, base))
  const declared = persona.age_key?.signals.find((one) => signalText(resolveSignal(one, base)) === text) ?? signal
  const { age, verified_at } = declared
  return {
    ...declared,
    age: 'date_of_birth' in age ? { date_of_birth: relativeDate(age.date_of_birth, base) } : age,
    verified_at: relativeDate(verified_at, base),
  }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365.2425 * DAY

/** `today - 18y + 3d` for a date, `now - 30d - 2h` for an instant; a relative date stays as it is. */
function relativeDate(text: string, base: number): string {
  if (parseRelativeDate(text)) return text
  const instant = parseInstant(text) ?? base
  if (parseCalendarDate(text) === undefined) {
    const hours = Math.floor((base - instant) / HOUR)
    return `now${term(-Math.trunc(hours / 24), 'd')}${term(-(hours % 24), 'h')}`
  }
  // Counted from the nearest birthday: both sides of it stay right on every day.
  const years = `today${term(-Math.round((base - instant) / YEAR), 'y')}`
  return `${years}${term((instant - (parseInstant(resolveDate(years, base)) ?? base)) / DAY, 'd')}`
}

const term = (count: number, unit: string): string =>
  count === 0 ? '' : ` ${count < 0 ? '-' : '+'} ${Math.abs(count)}${unit}`

/** Decision: a removed persona whose age key the flow does not show holds that of teen-16. */
const unknownPersona = (name: string, builtIns: readonly Persona[]): Persona => ({
  ...builtIns.find((persona) => persona.name === 'teen-16'),
  name,
  title: name,
  purpose: 'Recorded: it does not exist any more.',
})
