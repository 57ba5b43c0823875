import type { IdTokenClaims } from '../../../service/oidc/callback.ts'
import { takeApart } from '../../keys/compact-jws.ts'
import { answers, answersAs, signAgain } from '../answer-changes.ts'
import { type Family, SAID } from '../families.ts'
import type { Bait } from '../outcome.ts'
import { changedClaims, changedToken, type OutcomeRow, type OwnColumns } from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

/**
 * Makes rows with a common family and rule.
 * @param write returns the value of age_thresholds; `undefined` removes the claim
 */
const thresholdsRows =
  (family: Family, rule: string) =>
  (
    name: string,
    summary: string,
    write: (claims: IdTokenClaims) => unknown,
    columns: OwnColumns & { bait: Bait },
  ) =>
    changedClaims(`age_thresholds.${name}`, family, {
      summary,
      rule,
      ...columns,
      apply: (claims) => ({ ...claims, age_thresholds: write(claims) }),
    })

const EXACT = 'age_thresholds has each requested threshold as a key, and no other.'
const exactRow = thresholdsRows('requested_thresholds', EXACT)
const extraRow = thresholdsRows(
  'requested_thresholds',
  'Refuse it, or read the thresholds that were requested and no other: an answer that was not asked for proves nothing.',
)
const requestedRow = thresholdsRows(
  'requested_thresholds',
  'Read the thresholds that were requested and no other: a lower one that is met says nothing of them.',
)
const booleanRow = thresholdsRows(
  'thresholds',
  'Each answer is true or false: not a string, a number or null. Compare with === true.',
)
const mapRow = thresholdsRows(
  'thresholds',
  'age_thresholds is an object of thresholds and booleans.',
)

const FOR_LOWER = { since: '0.3', bait: 'minor', level: 'must', severity: 9.1 } as const
const MINOR = { bait: 'minor' } as const
const BOTH = { bait: 'both' } as const

/** Wrong values of age_thresholds that a careless client reads as the requested answers. */
export const ID_TOKEN_AGE_THRESHOLDS: readonly OutcomeRow[] = [
  extraRow(
    'extra',
    'A threshold that was not requested is there, and true.',
    (claims) => ({ ...Object.fromEntries(answers(claims)), [unrequested(claims, 1)]: true }),
    { bait: 'minor', correctClient: 'depends' },
  ),
  requestedRow(
    'lower_also',
    'Beside the requested answers stands one to a lower threshold (above 0, when 0 was requested), which is true and was not requested.',
    (claims) => ({ ...lowerTrue(claims), ...Object.fromEntries(answers(claims)) }),
    { ...FOR_LOWER, plainNo: true },
  ),
  exactRow(
    'other_only',
    'The only answer is to a threshold that was not requested, and true: to 16 where 18 was requested.',
    lowerTrue,
    FOR_LOWER,
  ),
  // If only one threshold is requested, the object is empty, and "every answer is true" holds for a
  // child too.
  exactRow(
    'one_missing',
    'The answer to one requested threshold is missing.',
    (claims) => Object.fromEntries(answers(claims).slice(0, -1)),
    BOTH,
  ),
  // "!== false" lets a child in; parseInt of the keys lets an adult in.
  exactRow(
    'key_spelled_differently',
    'The keys are written with a leading zero.',
    (claims) =>
      Object.fromEntries(answers(claims).map(([threshold, answer]) => [`0${threshold}`, answer])),
    BOTH,
  ),
  booleanRow(
    'strings',
    'The answers are the strings "true" and "false", of which both are truthy.',
    (claims) => answersAs(claims, String),
    BOTH,
  ),
  booleanRow(
    'false_strings',
    'Every answer is the string "false", which is truthy.',
    (claims) => answersAs(claims, () => 'false'),
    MINOR,
  ),
  // "!== false" lets a child in. So does a numeric comparison that converts "true" to 0.
  booleanRow(
    'numbers',
    'The answers are the numbers 1 and 0.',
    (claims) => answersAs(claims, Number),
    BOTH,
  ),
  booleanRow('null', 'Every answer is null.', (claims) => answersAs(claims, () => null), MINOR),
  booleanRow(
    'nested',
    'Each answer is inside an object, which is truthy.',
    (claims) => answersAs(claims, (satisfied) => ({ satisfied })),
    BOTH,
  ),
  // "Every answer is true" holds for an empty array, so for a child too.
  mapRow(
    'array',
    'age_thresholds is an array of the thresholds that are met.',
    (claims) =>
      answers(claims).flatMap(([threshold, answer]) => (answer ? [Number(threshold)] : [])),
    BOTH,
  ),
  // A character of the string is truthy, whatever the string says. Parsed, the string holds the
  // right answers.
  mapRow('string', 'age_thresholds is JSON text inside a string.', thresholdsText, BOTH),
  mapRow('boolean', 'age_thresholds is true.', () => true, MINOR),
  mapRow('missing', 'There are no answers.', () => undefined, MINOR),
  changedToken('age_thresholds.prototype', 'thresholds', {
    // The service never signs such a token, and the specification does not say how parsers read it.
    level: 'should',
    cwe: [1287, 1321],
    breaks: ['requested_thresholds'],
    bait: 'minor',
    summary: 'The answers stand in a member __proto__, all true.',
    rule: `Read own members only: an answer that is inherited was not given. ${EXACT}`,
    apply: (idToken, tools) =>
      withThresholdsText(idToken, tools, (claims) => {
        return `{"__proto__":${JSON.stringify(answersAs(claims, () => true))}}`
      }),
  }),
  changedToken('age_thresholds.key_twice', 'thresholds', {
    bait: 'minor',
    breaks: ['payload'],
    cwe: [1286],
    refs: [SAID.answers, 'RFC 8259 section 4'],
    correctClient: 'depends',
    summary: 'Each threshold stands there twice: first the wrong answer, then the right one.',
    rule: 'Refuse repeated keys, or take the last of each, as most parsers do (RFC 8259 section 4): the first is never the answer.',
    apply: (idToken, tools) =>
      withThresholdsText(idToken, tools, (claims) => {
        const wrong = JSON.stringify(answersAs(claims, (answer) => !answer)).slice(0, -1)
        return `${wrong},${thresholdsText(claims).slice(1)}`
      }),
  }),
]

const USUAL_AGES = [16, 13, 12, 10, 7, 4, 1]

/**
 * A threshold below all requested thresholds, with the answer true. If 0 was requested, another
 * threshold that was not requested.
 */
function lowerTrue(claims: IdTokenClaims): Record<string, boolean> {
  const lowest = Math.min(...answers(claims).map(([threshold]) => Number(threshold)))
  return { [USUAL_AGES.find((age) => age < lowest) ?? unrequested(claims, 0)]: true }
}

/** The lowest age from `least` upwards that was not requested. */
function unrequested(claims: IdTokenClaims, least: number): number {
  const requested = new Set(answers(claims).map(([threshold]) => Number(threshold)))
  let age = least
  while (requested.has(age)) age += 1
  return age
}

function thresholdsText({ age_thresholds: map }: IdTokenClaims): string {
  return JSON.stringify(map)
}

/** Signs the token again with a text as the value of age_thresholds, after the other claims. */
function withThresholdsText(
  idToken: string,
  tools: TamperTools,
  write: (claims: IdTokenClaims) => string,
) {
  const { claims } = takeApart(idToken)
  const others = JSON.stringify({ ...claims, age_thresholds: undefined })
  return signAgain(idToken, tools, {
    payload: others.replace(/}$/, `,"age_thresholds":${write(claims)}}`),
  })
}
