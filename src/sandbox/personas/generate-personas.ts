import { METHODS, type Method } from '../../age/methods.ts'
import type { Age, AgeSignal } from '../../age/signal.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../age/vocabulary.ts'
import { describeAgeKey, USUAL_THRESHOLDS } from './describe-age-key.ts'
import { loadFaker, slug } from './name-generator.ts'
import type { Persona } from './persona-schema.ts'

/** Personas of one run, at most. */
export const MAX_GENERATED = 500

/** The largest seed: an unsigned integer of 32 bits. */
export const MAX_SEED = 0xffffffff

type Faker = Awaited<ReturnType<typeof loadFaker>>['faker']

/**
 * Generates `count` personas that differ in method, age, provider, attributes, level and time of verification. The same `seed` gives the
 * same personas. All dates are relative, so that their descriptions are true on every day.
 */
export async function generatePersonas(count: number, seed: number): Promise<Persona[]> {
  const { faker } = await loadFaker()
  faker.seed(seed)
  const next = createDeck(faker)
  const taken = new Set<string>()
  return Array.from({ length: count }, () => {
    const kind = next('kind', KINDS)
    const { point, signals } = kind({ faker, next, threshold: next('threshold', USUAL_THRESHOLDS) })
    const person = `${faker.person.firstName()} ${faker.person.lastName()}`
    const name = freeName(`${slug(person).slice(0, MAX_PERSON_LETTERS)}-${slug(point)}`, taken)
    const persona = { name, title: `${person}, ${point}`, purpose: describeAgeKey(signals) }
    return signals.length === 0 ? persona : { ...persona, age_key: { signals: [...signals] } }
  })
}

/** Leaves room for the longest suffix within the 63 characters of a name. */
const MAX_PERSON_LETTERS = 24

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted}-${n}`
  taken.add(name)
  return name
}

/** Returns the items of a list in an order of the seed, each once before any comes again: even few personas then differ in all points. */
type Deck = <Item>(name: string, items: readonly Item[]) => Item

function createDeck(faker: Faker): Deck {
  const orders = new Map<string, number[]>()
  return (name, items) => {
    const rest = orders.get(name) ?? []
    const order = rest.length > 0 ? rest : faker.helpers.shuffle([...items.keys()])
    const item = items[order[0] ?? 0]
    orders.set(name, order.slice(1))
    if (item === undefined) throw new Error(`${name}: nothing to choose from`)
    return item
  }
}

interface Draw {
  readonly faker: Faker
  readonly next: Deck
  readonly threshold: number
}

/** The purpose of a persona in a few words (`turns 18 tomorrow`), and the content of its age key, if it has one. */
interface Made {
  readonly point: string
  readonly signals: readonly AgeSignal[]
}

const made = (point: string, ...signals: readonly AgeSignal[]): Made => ({ point, signals })

const KINDS: readonly ((draw: Draw) => Made)[] = [
  (draw) => made(`turns ${draw.threshold} tomorrow`, document(draw, born(`today - ${draw.threshold}y + 1d`))),
  (draw) => made(`turned ${draw.threshold} today`, document(draw, born(`today - ${draw.threshold}y`))),
  (draw) => made(`turned ${draw.threshold} yesterday`, document(draw, born(`today - ${draw.threshold}y - 1d`))),
  (draw) => yearsOld(draw, draw.threshold - draw.faker.number.int({ min: 1, max: 4 })),
  (draw) => yearsOld(draw, draw.faker.number.int({ min: 26, max: 85 })),
  (draw) => {
    const years = draw.threshold + draw.faker.number.int({ min: -1, max: 2 })
    return made(`exactly ${years} years`, document(draw, { years }))
  },
  (draw) => made(`at least ${draw.threshold}`, document(draw, { at_least_years: draw.threshold })),
  (draw) => {
    const years = draw.threshold + draw.faker.number.int({ min: -2, max: 5 })
    return made(`at least ${years} by face`, signal(draw, 'facial_age_estimation', { at_least_years: years }))
  },
  (draw) => {
    const { threshold } = draw
    return made(`at least ${threshold} by email`, signal(draw, 'email_age_estimation', { at_least_years: threshold }))
  },
  (draw) => {
    const card = signal(draw, 'payment_card_network', { at_least_years: 18 })
    return made(`${card.attributes?.['card_type']} card`, card)
  },
  (draw) => {
    const years = draw.faker.number.int({ min: draw.threshold, max: draw.threshold + 30 })
    const old = document(draw, born(`today - ${years}y - 2m`))
    return made(`${years} verified long ago`, { ...old, verified_at: `now - ${draw.next('old', [2, 3, 5])}y` })
  },
  (draw) => {
    const years = draw.threshold - 1
    const seen = draw.threshold + draw.faker.number.int({ min: 1, max: 6 })
    const scanned = document(draw, born(`today - ${years}y - 3m`))
    return made(
      `document ${years} face ${seen}`,
      scanned,
      signal(draw, 'facial_age_estimation', { at_least_years: seen }),
    )
  },
  () => made('no age key'),
]

function yearsOld(draw: Draw, years: number): Made {
  const months = draw.faker.number.int({ min: 1, max: 11 })
  return made(`${years} years old`, document(draw, born(`today - ${years}y - ${months}m`)))
}

const born = (text: string): Age => ({ date_of_birth: text })

/** Creates a signal of a method that accepts each form of age. */
function document(draw: Draw, age: Age): AgeSignal {
  return signal(draw, draw.next('document', ['id_doc_scan', 'national_id_number', 'digital_credential'] as const), age)
}

/** Providers that the default settings know, by method. */
const PROVIDERS: Readonly<Record<Method, readonly string[]>> = {
  email_age_estimation: ['/verify_my'],
  facial_age_estimation: ['/yoti', '/privately'],
  national_id_number: ['/singpass', '/inicis', '/veratad/trinsic'],
  digital_credential: ['/spruce_id', '/connect_id'],
  id_doc_scan: ['/veratad/roc', '/veratad/trinsic'],
  payment_card_network: ['/stripe'],
}

const VERIFIED = ['now - 1h', 'now - 3d', 'now - 30d', 'now - 5m', 'now - 11m'] as const

function signal(draw: Draw, method: Method, age: Age): AgeSignal {
  const { next } = draw
  const attributes = attributesOf(draw, method)
  // Every second persona is certified, with all levels equally often.
  const level = next('certified', [true, false]) ? next<AssuranceLevel>('level', ASSURANCE_LEVELS) : undefined
  return {
    method,
    age,
    verified_at: next('verified', VERIFIED),
    provenance: next(`provider ${method}`, PROVIDERS[method]),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(level !== undefined && { iso_27566_1: level }),
  }
}

/** All required attributes of a method, and the optional ones for every second persona. */
function attributesOf({ next }: Draw, method: Method): Record<string, boolean | string> {
  const facts = Object.entries(METHODS[method].attributes)
  const given = facts.filter(([name, { required }]) => required || next(`has ${method} ${name}`, [true, false]))
  return Object.fromEntries(
    given.map(([name, { kind }]) => [name, next<boolean | string>(`${kind} of ${name}`, VALUES[kind])]),
  )
}

const VALUES = {
  boolean: [true, false],
  country: ['US', 'GB', 'DE', 'FR', 'SG', 'KR', 'AU', 'BR'],
  card_type: ['credit', 'debit', 'unknown'],
  platform: ['apple_wallet', 'google_wallet'],
} as const
