import type { IdTokenClaims } from '../../../oidc/callback.ts'
import { takeApart } from '../../keys/forge.ts'
import { SAID } from '../families.ts'
import { answers, changedToken, claimsRows, without, withPayloadText } from '../id-token-changes.ts'
import type { Bait } from '../outcome.ts'
import type { OutcomeRow } from '../outcome-row.ts'

const EXACT = 'age_thresholds has each requested threshold as a key, and no other.'
const OWN = 'Read own members only: an answer that is inherited was not given.'
const exactRow = claimsRows('requested_thresholds', EXACT)
const extraRow = claimsRows(
  'requested_thresholds',
  'Refuse it, or read the thresholds that were requested and no other: an answer that was not asked for proves nothing.',
)
const requestedRow = claimsRows(
  'requested_thresholds',
  'Read the thresholds that were requested and no other: a lower one that is met says nothing of them.',
)
const booleanRow = claimsRows(
  'thresholds',
  'Each answer is true or false: not a string, a number or null. Compare with === true.',
)
const mapRow = claimsRows('thresholds', 'age_thresholds is an object of thresholds and booleans.')

/** Writes each answer by `write`. */
const answersRow = (name: string, summary: string, bait: Bait, write: (answer: boolean) => unknown) =>
  booleanRow(name, summary, (_tools, claims) => ({ age_thresholds: mapped(claims, write) }), { bait })

const mapped = (claims: IdTokenClaims, write: (answer: boolean) => unknown) =>
  Object.fromEntries(answers(claims).map(([threshold, answer]) => [threshold, write(answer)]))

/** Answers that only a careless reader takes for the requested ones. */
export const ID_TOKEN_AGE_THRESHOLDS: readonly OutcomeRow[] = [
  extraRow(
    'age_thresholds.extra',
    'A threshold that was not requested is there, and true.',
    (_tools, claims) => {
      const requested = answers(claims)
      return { age_thresholds: { ...Object.fromEntries(requested), [unrequested(claims, 1)]: true } }
    },
    { bait: 'minor', correctClient: 'depends' },
  ),
  requestedRow(
    'age_thresholds.lower_also',
    'Beside the requested answers stands one to a lower threshold (above 0, when 0 was requested), which is true and was not requested.',
    (_tools, claims) => ({ age_thresholds: { ...lowerTrue(claims), ...Object.fromEntries(answers(claims)) } }),
    { since: '0.3', bait: 'minor', level: 'must', severity: 9.1, plainNo: true },
  ),
  exactRow(
    'age_thresholds.other_only',
    'The only answer is to a threshold that was not requested, and true: to 16 where 18 was requested.',
    (_tools, claims) => ({ age_thresholds: lowerTrue(claims) }),
    { since: '0.3', bait: 'minor', level: 'must', severity: 9.1 },
  ),
  // With one requested threshold no answer is left, and "every answer is true" holds for a child too.
  exactRow(
    'age_thresholds.one_missing',
    'The answer to one requested threshold is missing.',
    (_tools, claims) => ({ age_thresholds: Object.fromEntries(answers(claims).slice(0, -1)) }),
    { bait: 'both' },
  ),
  // "!== false" lets a child in, parseInt an adult.
  exactRow(
    'age_thresholds.key_spelled_differently',
    'The keys are written with a leading zero.',
    (_tools, claims) => ({
      age_thresholds: Object.fromEntries(answers(claims).map(([threshold, answer]) => [`0${threshold}`, answer])),
    }),
    { bait: 'both' },
  ),
  answersRow(
    'age_thresholds.strings',
    'The answers are the strings "true" and "false", of which both are truthy.',
    'both',
    String,
  ),
  answersRow(
    'age_thresholds.false_strings',
    'Every answer is the string "false", which is truthy.',
    'minor',
    () => 'false',
  ),
  // "!== false" lets a child in, and so does a comparison of integers that reads "true" as 0.
  answersRow('age_thresholds.numbers', 'The answers are the numbers 1 and 0.', 'both', Number),
  answersRow('age_thresholds.null', 'Every answer is null.', 'minor', () => null),
  answersRow('age_thresholds.nested', 'Each answer is inside an object, which is truthy.', 'both', (satisfied) => ({
    satisfied,
  })),
  // "Every answer is true" holds for an empty array, for a child too.
  mapRow(
    'age_thresholds.array',
    'age_thresholds is an array of the thresholds that are met.',
    (_tools, claims) => ({
      age_thresholds: answers(claims).flatMap(([threshold, answer]) => (answer ? [Number(threshold)] : [])),
    }),
    { bait: 'both' },
  ),
  // A character of the text is truthy whatever the text says; parsed text says what the persona holds.
  mapRow(
    'age_thresholds.string',
    'age_thresholds is JSON text inside a string.',
    (_tools, claims) => ({ age_thresholds: JSON.stringify(claims['age_thresholds']) }),
    { bait: 'both' },
  ),
  mapRow('age_thresholds.boolean', 'age_thresholds is true.', { age_thresholds: true }, { bait: 'minor' }),
  mapRow('age_thresholds.missing', 'There are no answers.', { age_thresholds: undefined }, { bait: 'minor' }),
  changedToken('age_thresholds.prototype', {
    family: 'thresholds',
    // The service signs no such token: the specification does not say what parsers make of it.
    level: 'should',
    cwe: [1287, 1321],
    breaks: ['requested_thresholds'],
    bait: 'minor',
    summary: 'The answers stand in a member __proto__, all true.',
    rule: `${OWN} ${EXACT}`,
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      const allTrue = JSON.stringify(mapped(claims, () => true))
      return withPayloadText(idToken, withThresholdText(claims, `{"__proto__":${allTrue}}`), tools)
    },
  }),
  changedToken('age_thresholds.key_twice', {
    family: 'thresholds',
    bait: 'minor',
    breaks: ['payload'],
    cwe: [1286],
    refs: [SAID.answers, 'RFC 8259 section 4'],
    correctClient: 'depends',
    summary: 'Each threshold stands there twice: first the wrong answer, then the right one.',
    rule: 'Refuse repeated keys, or take the last of each, as most parsers do (RFC 8259 section 4): the first is never the answer.',
    apply(idToken, tools) {
      const { claims } = takeApart(idToken)
      const wrong = JSON.stringify(mapped(claims, (answer) => !answer)).slice(1, -1)
      const right = JSON.stringify(claims['age_thresholds']).slice(1, -1)
      return withPayloadText(idToken, withThresholdText(claims, `{${wrong},${right}}`), tools)
    },
  }),
]

const USUAL_AGES = [16, 13, 12, 10, 7, 4, 1]

/** A threshold below all requested ones that is met; if 0 was requested, another threshold. */
function lowerTrue(claims: IdTokenClaims): Record<string, boolean> {
  const lowest = Math.min(...answers(claims).map(([threshold]) => Number(threshold)))
  return { [USUAL_AGES.find((age) => age < lowest) ?? unrequested(claims, 0)]: true }
}

/** The lowest age from `least` on that was not requested. */
function unrequested(claims: IdTokenClaims, least: number): number {
  const requested = new Set(answers(claims).map(([threshold]) => Number(threshold)))
  let age = least
  while (requested.has(age)) age += 1
  return age
}

/** The claims as JSON, with `text` as the value of age_thresholds. */
const withThresholdText = (claims: Readonly<Record<string, unknown>>, text: string) =>
  JSON.stringify(without(claims, 'age_thresholds')).replace(/}$/, `,"age_thresholds":${text}}`)
