import { evaluateAnswers } from '../../service/age/evaluate.ts'
import { METHODS, type Method } from '../../service/age/methods.ts'
import type { Age, AgeSignal } from '../../service/age/signal.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../service/age/vocabulary.ts'
import { resolveSignal } from './age-keys.ts'
import { loadFaker, slug } from './name-generator.ts'
import type { Persona } from './persona-schema.ts'

/** Maximum number of personas in one run. */
export const MAX_GENERATED = 500

/** The largest seed: an unsigned integer of 32 bits. */
export const MAX_SEED = 0xffffffff

/** The thresholds that laws and shops use most. */
const USUAL_THRESHOLDS: number[] = [13, 16, 18, 21, 25]

type Faker = Awaited<ReturnType<typeof loadFaker>>['faker']

/**
 * Generates `count` personas that differ in method, age, provider, attributes, level and time of
 * verification. The same `seed` gives the same personas. All dates are relative, so the
 * descriptions are true on every day.
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

/**
 * Draws items of a list in a random order that depends on the seed. Each item is drawn once before
 * any item is drawn again, so that even a few personas differ in all properties.
 */
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

/**
 * The purpose of a persona in a few words (`turns 18 tomorrow`), and the signals of its age key, if
 * it has one.
 */
interface Made {
  readonly point: string
  readonly signals: readonly AgeSignal[]
}

const made = (point: string, ...signals: readonly AgeSignal[]): Made => ({ point, signals })

const KINDS: readonly ((draw: Draw) => Made)[] = [
  (draw) =>
    made(
      `turns ${draw.threshold} tomorrow`,
      document(draw, born(`today - ${draw.threshold}y + 1d`)),
    ),
  (draw) =>
    made(`turned ${draw.threshold} today`, document(draw, born(`today - ${draw.threshold}y`))),
  (draw) =>
    made(
      `turned ${draw.threshold} yesterday`,
      document(draw, born(`today - ${draw.threshold}y - 1d`)),
    ),
  (draw) => yearsOld(draw, draw.threshold - draw.faker.number.int({ min: 1, max: 4 })),
  (draw) => yearsOld(draw, draw.faker.number.int({ min: 26, max: 85 })),
  (draw) => {
    const years = draw.threshold + draw.faker.number.int({ min: -1, max: 2 })
    return made(`exactly ${years} years`, document(draw, { years }))
  },
  (draw) => made(`at least ${draw.threshold}`, document(draw, { at_least_years: draw.threshold })),
  (draw) => {
    const years = draw.threshold + draw.faker.number.int({ min: -2, max: 5 })
    return made(
      `at least ${years} by face`,
      signal(draw, 'facial_age_estimation', { at_least_years: years }),
    )
  },
  (draw) => {
    const { threshold } = draw
    return made(
      `at least ${threshold} by email`,
      signal(draw, 'email_age_estimation', { at_least_years: threshold }),
    )
  },
  (draw) => {
    const card = signal(draw, 'payment_card_network', { at_least_years: 18 })
    return made(`${card.attributes?.['card_type']} card`, card)
  },
  (draw) => {
    const years = draw.faker.number.int({ min: draw.threshold, max: draw.threshold + 30 })
    const old = document(draw, born(`today - ${years}y - 2m`))
    return made(`${years} verified long ago`, {
      ...old,
      verified_at: `now - ${draw.next('old', [2, 3, 5])}y`,
    })
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

/** Makes a signal with a method that accepts every age format. */
function document(draw: Draw, age: Age): AgeSignal {
  return signal(
    draw,
    draw.next('document', ['id_doc_scan', 'national_id_number', 'digital_credential'] as const),
    age,
  )
}

/** Providers on the default allowlist, by method. */
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
  // Every second persona is certified. All levels are equally frequent.
  const level = next('certified', [true, false])
    ? next<AssuranceLevel>('level', ASSURANCE_LEVELS)
    : undefined
  return {
    method,
    age,
    verified_at: next('verified', VERIFIED),
    provenance: next(`provider ${method}`, PROVIDERS[method]),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(level !== undefined && { iso_27566_1: level }),
  }
}

/** All required attributes of a method; each optional attribute for every second persona. */
function attributesOf({ next }: Draw, method: Method): Record<string, boolean | string> {
  const facts = Object.entries(METHODS[method].attributes)
  const given = facts.filter(
    ([name, { required }]) => required || next(`has ${method} ${name}`, [true, false]),
  )
  return Object.fromEntries(
    given.map(([name, { kind }]) => [
      name,
      next<boolean | string>(`${kind} of ${name}`, VALUES[kind]),
    ]),
  )
}

const VALUES = {
  boolean: [true, false],
  country: ['US', 'GB', 'DE', 'FR', 'SG', 'KR', 'AU', 'BR'],
  card_type: ['credit', 'debit', 'unknown'],
  platform: ['apple_wallet', 'google_wallet'],
} as const

/**
 * Describes a persona in one line: its use, and its answers to the usual thresholds. If all dates
 * are relative, the line is true on every day.
 */
function describeAgeKey(signals: readonly AgeSignal[]): string {
  if (signals.length === 0)
    return 'For a user without age key: nothing is answered, the user creates one or declines.'
  const answers = answersOn(0, signals)
  const held = signals.map(({ method, iso_27566_1: level, verified_at: at }) => {
    return `${method} (${level === undefined ? 'not certified' : `certified ${level}`}, verified ${agoInWords(at)})`
  })
  return `For ${useOf(signals)}: ${answersInWords(answers)}. By ${listed(held)}.`
}

/**
 * A fixed noon, far from the change of the day in any time zone. Answers for relative dates do not
 * depend on the day.
 */
const NOON = Date.UTC(2025, 5, 15, 12)
const DAY = 86_400_000

const answersOn = (day: number, signals: readonly AgeSignal[]) => {
  const resolved = signals.map((signal) => resolveSignal(signal, NOON))
  return evaluateAnswers(resolved, { age_thresholds: USUAL_THRESHOLDS }, NOON + day * DAY)
}

function answersInWords(answers: Readonly<Record<string, boolean>>): string {
  const yes = USUAL_THRESHOLDS.filter((threshold) => answers[threshold]).map(String)
  const no = USUAL_THRESHOLDS.filter((threshold) => !answers[threshold]).map(String)
  if (no.length === 0) return `yes to ${listed(yes)}`
  return yes.length === 0 ? `no to ${listed(no)}` : `yes to ${listed(yes)}, no to ${listed(no)}`
}

/** Days around a birthday, relative to the day on which the answer becomes true. */
const BIRTHDAYS = [
  [1, 'the day before turning'],
  [0, 'the day of turning'],
  [-1, 'the day after turning'],
] as const

const METHOD_USES: Readonly<Partial<Record<Method, string>>> = {
  facial_age_estimation: 'overrides of facial_age_estimation',
  email_age_estimation: 'estimates by email',
  payment_card_network: 'payment cards',
}

/** What distinguishes the persona from most others: the first matching feature. */
function useOf(signals: readonly AgeSignal[]): string {
  const single = signals.map((signal) => JSON.stringify(answersOn(0, [signal])))
  if (new Set(single).size > 1)
    return 'signals that disagree, so that filters decide which one counts'
  for (const [day, words] of BIRTHDAYS) {
    const [before, after] = [answersOn(day - 1, signals), answersOn(day, signals)]
    const turned = USUAL_THRESHOLDS.find((threshold) => before[threshold] !== after[threshold])
    if (turned !== undefined) return `${words} ${turned}`
  }
  const [first] = signals
  if (first === undefined) return 'no age'
  const { method, age, verified_at: at } = first
  if (/^now - \d+y/.test(at)) return 'verified_after'
  const use = METHOD_USES[method]
  if (use !== undefined) return use
  if ('years' in age) return 'an age in whole years'
  if ('at_least_years' in age) return 'an age that is only known to be reached'
  const reached = Object.values(answersOn(0, signals)).filter((isReached) => isReached).length
  if (reached === 0) return 'a child below every usual threshold'
  return reached === USUAL_THRESHOLDS.length ? 'a plain adult' : 'an age between thresholds'
}

const UNITS: Readonly<Record<string, string>> = { y: 'year', m: 'month', d: 'day', h: 'hour' }

/** Rewrites `now - 30d` as `30 days ago`; other dates are returned unchanged. */
function agoInWords(verifiedAt: string): string {
  const [, count, unit = ''] = /^now - (\d+)([ymdh])$/.exec(verifiedAt) ?? []
  return count === undefined ? verifiedAt : `${count} ${UNITS[unit]}${count === '1' ? '' : 's'} ago`
}

const listed = (words: readonly string[]) =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('')
