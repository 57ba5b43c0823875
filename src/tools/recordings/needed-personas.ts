import type { CallRecord } from '../../sandbox/journal/call-record.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { resolveDate, resolvePersona, resolveSignal } from '../../sandbox/personas/age-keys.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import type { Personas } from '../../sandbox/personas/personas.ts'
import { parseCalendarDate, parseInstant, parseRelativeDate } from '../../service/age/calendar.ts'
import type { AgeSignal } from '../../service/age/signal.ts'
import { ENDPOINTS } from '../../service/oidc/endpoints.ts'

/**
 * The personas that a recording must contain to run in this sandbox and in a new sandbox: each
 * persona of the flow that is missing, or has another age key, in one of the two. The personas have
 * the age key from before the flow, with relative dates, so that the recording works on every day.
 */
export async function neededPersonas(
  flow: Flow,
  personas: Pick<Personas, 'find'>,
): Promise<Persona[]> {
  const names = new Set(flow.calls.flatMap(({ decision }) => decision?.persona ?? []))
  const [first] = flow.calls
  if (names.size === 0 || !first) return []
  const builtIns = await loadPersonas()
  const needed: Persona[] = []
  for (const name of names) {
    const builtIn = builtIns.find((persona) => persona.name === name)
    const current = await personas.find(name)
    const held = heldBy(name, flow)
    const fits = (persona: Persona | undefined) =>
      persona && (held === undefined || holds(persona, held))
    if (builtIn && fits(builtIn)) {
      // The flow itself may have changed the age key of the persona in this sandbox.
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
  /** The instant that relative dates count from, in epoch milliseconds. */
  readonly base: number
}

/**
 * The age key that the persona had when the Use request was answered; `undefined` if the answer
 * does not depend on the age key.
 */
function heldBy(name: string, { signals, calls }: Flow): Held | undefined {
  const call = calls.findLast(
    ({ decision, endpoint }) => decision?.persona === name && isUse(endpoint),
  )
  const outcome = findOutcome('use', call?.decision?.outcome ?? '')
  if (!call || !signals || (outcome?.ending?.kind === 'verified' && outcome.ending.allFalse))
    return undefined
  return { signals, base: baseOf(call) }
}

/** The instant that relative dates counted from at the time of a call, in epoch milliseconds. */
function baseOf({ at, clock = {} }: Pick<CallRecord, 'at' | 'clock'>): number {
  const { base, advanced_seconds: advanced = 0 } = clock
  return base === undefined ? Date.parse(at) - advanced * 1000 : Date.parse(base)
}

/**
 * The current signals of a persona without the signals that the flow saved. Create replaces all
 * signals, Upgrade adds signals.
 */
function unsavedSignals({ age_key: key }: Persona, { flow, calls }: Flow): readonly AgeSignal[] {
  if (flow === 'create') return []
  const added = calls
    .filter(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
    .map(({ parameters }) => parameters)
  const isAdded = ({ verified_at: at }: AgeSignal) =>
    JSON.stringify(added).includes(JSON.stringify(at))
  return key?.signals.filter((signal) => !isAdded(signal)) ?? []
}

const isUse = (endpoint: string) => endpoint === 'E1' || endpoint === 'choice'

const holds = (persona: Persona, { signals, base }: Held): boolean =>
  JSON.stringify((resolvePersona(persona, base).age_key?.signals ?? []).map(signalText)) ===
  JSON.stringify(signals.map(signalText))

/**
 * A signal as a text to compare. Instants are compared by their day, because some milliseconds pass
 * between evaluation and record.
 */
const signalText = ({
  method,
  age,
  verified_at,
  provenance,
  attributes,
  iso_27566_1,
}: AgeSignal): string =>
  JSON.stringify([
    method,
    age,
    verified_at.slice(0, 10),
    provenance,
    attributes ?? null,
    iso_27566_1 ?? null,
  ])

/** A signal as the persona declares it, with absolute dates made relative. */
function relativeSignal(
  signal: AgeSignal,
  { persona, base }: { persona: Persona; base: number },
): AgeSignal {
  const text = signalText(resolveSignal(signal, base))
  const declared =
    persona.age_key?.signals.find((one) => signalText(resolveSignal(one, base)) === text) ?? signal
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

/**
 * Makes a date relative: `today - 18y + 3d` for a date, `now - 30d - 2h` for an instant. A relative
 * date stays as it is.
 */
function relativeDate(text: string, base: number): string {
  if (parseRelativeDate(text)) return text
  const instant = parseInstant(text) ?? base
  if (parseCalendarDate(text) === undefined) {
    const hours = Math.floor((base - instant) / HOUR)
    return `now${term(-Math.trunc(hours / 24), 'd')}${term(-(hours % 24), 'h')}`
  }
  // Counted from the nearest birthday, so that the age stays right on every later day.
  const years = `today${term(-Math.round((base - instant) / YEAR), 'y')}`
  return `${years}${term((instant - (parseInstant(resolveDate(years, base)) ?? base)) / DAY, 'd')}`
}

const term = (count: number, unit: string): string =>
  count === 0 ? '' : ` ${count < 0 ? '-' : '+'} ${Math.abs(count)}${unit}`

/** Decision: a removed persona with an unknown age key gets the age key of teen-16. */
const unknownPersona = (name: string, builtIns: readonly Persona[]): Persona => ({
  ...builtIns.find((persona) => persona.name === 'teen-16'),
  name,
  title: name,
  purpose: 'Recorded: it does not exist any more.',
})
