import type { AgeSignal } from '../../age/signal.ts'
import type { Flow } from '../journal/journal.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import { resolvePersona } from '../personas/age-keys.ts'
import { loadPersonas } from '../personas/load-personas.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Personas } from '../personas/personas.ts'

/**
 * The personas that a recording of a flow has to bring along: those that no new sandbox has, or that held another age key when the
 * flow asked for it. The one that exists now comes when it still holds that key, so that its dates stay relative.
 */
export async function neededPersonas(flow: Flow, personas: Pick<Personas, 'find'>): Promise<Persona[]> {
  const names = new Set(flow.calls.flatMap(({ decision }) => decision?.persona ?? []))
  if (names.size === 0) return []
  const builtIns = await loadPersonas()
  const needed: Persona[] = []
  for (const name of names) {
    const builtIn = builtIns.find((persona) => persona.name === name)
    const current = await personas.find(name)
    const held = heldBy(name, flow)
    const fits = (persona: Persona | undefined) => persona && (held === undefined || holds(persona, held))
    if (fits(builtIn)) continue
    if (current && fits(current)) needed.push(current)
    else needed.push(recordedPersona(held, current ?? builtIn ?? unknownPersona(name, builtIns)))
  }
  return needed
}

interface Held {
  readonly signals: readonly AgeSignal[]
  /** From which relative dates counted, in epoch milliseconds. */
  readonly base: number
}

/** What the persona held when a Use flow was answered as it; `undefined` when the answer does not depend on that. */
function heldBy(name: string, { signals, calls }: Flow): Held | undefined {
  const call = calls.findLast(({ decision, endpoint }) => decision?.persona === name && isUse(endpoint))
  const outcome = findOutcome('use', call?.decision?.outcome ?? '')
  if (!call || !signals || (outcome?.ending?.kind === 'verified' && outcome.ending.allFalse)) return undefined
  const { base, advanced_seconds: advanced = 0 } = call.clock ?? {}
  return { signals, base: base === undefined ? Date.parse(call.at) - advanced * 1000 : Date.parse(base) }
}

const isUse = (endpoint: string) => endpoint === 'E1' || endpoint === 'choice'

const holds = (persona: Persona, { signals, base }: Held): boolean =>
  keyText(resolvePersona(persona, base).age_key?.signals ?? []) === keyText(signals)

/** Instants by their day: between the evaluation and its record some milliseconds pass. */
const keyText = (signals: readonly AgeSignal[]): string =>
  JSON.stringify(
    signals.map(({ method, age, verified_at, provenance, attributes, iso_27566_1 }) => [
      [method, age, verified_at.slice(0, 10), provenance],
      [attributes ?? null, iso_27566_1 ?? null],
    ]),
  )

const recordedPersona = (held: Held | undefined, known: Persona): Persona => ({
  ...known,
  ...(held && { age_key: { signals: [...held.signals] } }),
})

/** Decision: a persona that was removed, and of which the flow does not say what it held, holds what teen-16 does. */
const unknownPersona = (name: string, builtIns: readonly Persona[]): Persona => ({
  ...builtIns.find((persona) => persona.name === 'teen-16'),
  name,
  title: name,
  purpose: 'Recorded: it does not exist any more.',
})
