import { evaluateAnswers } from '../../age/evaluate.ts'
import type { Method } from '../../age/methods.ts'
import type { AgeSignal } from '../../age/signal.ts'
import { resolveSignal } from './age-keys.ts'

/** The ages that laws and shops ask for most. */
export const USUAL_THRESHOLDS: number[] = [13, 16, 18, 21, 25]

/**
 * One line about a persona: its purpose, and its answers to the usual thresholds. The line follows from the signals; if all their dates
 * are relative, the line is true on every day.
 */
export function describeAgeKey(signals: readonly AgeSignal[]): string {
  if (signals.length === 0) return 'For a user without age key: nothing is answered, the user creates one or declines.'
  const answers = answersOn(0, signals)
  const held = signals.map(({ method, iso_27566_1: level, verified_at: at }) => {
    return `${method} (${level === undefined ? 'not certified' : `certified ${level}`}, verified ${agoInWords(at)})`
  })
  return `For ${useOf(signals)}: ${answersInWords(answers)}. By ${listed(held)}.`
}

/** Noon, at which no time zone matters. Relative dates do not depend on the day. */
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

/** Days and their names, beginning with the day on which an answer becomes yes. */
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

/** What distinguishes the persona from most others; the first feature that fits. */
function useOf(signals: readonly AgeSignal[]): string {
  const single = signals.map((signal) => JSON.stringify(answersOn(0, [signal])))
  if (new Set(single).size > 1) return 'signals that disagree, so that filters decide which one counts'
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

/** `now - 30d` as `30 days ago`; another date as it is. */
function agoInWords(verifiedAt: string): string {
  const [, count, unit = ''] = /^now - (\d+)([ymdh])$/.exec(verifiedAt) ?? []
  return count === undefined ? verifiedAt : `${count} ${UNITS[unit]}${count === '1' ? '' : 's'} ago`
}

const listed = (words: readonly string[]) =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('')
