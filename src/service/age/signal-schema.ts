import * as z from 'zod'
import { attributesOfAnyMethodSchema, attributesSchema } from './attributes.ts'
import { INSTANT_FORMS, parseCalendarDate, parseInstant, parseRelativeDate } from './calendar.ts'
import { breaks } from './explain.ts'
import { isJsonObject } from './json-object.ts'
import { methodSynonym } from './method-synonyms.ts'
import { AGE_FORMATS, METHOD_NAMES, METHODS, type Method } from './methods.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel, PROVENANCE_PATH } from './vocabulary.ts'

/**
 * A verified age: a date of birth (`YYYY-MM-DD`), or a number of years that does not grow with
 * time.
 */
export type Age = { date_of_birth: string } | { at_least_years: number } | { years: number }

/** One verified statement about a user's age, with its wire names. */
export interface AgeSignal {
  readonly method: Method
  readonly age: Age
  /** ISO 8601 date or date-time. */
  readonly verified_at: string
  /** `/provider` or `/provider/sub_provider`. */
  readonly provenance: string
  readonly attributes?: Readonly<Record<string, boolean | string>> | undefined
  /** The certified level; absent when the verification was not certified. */
  readonly iso_27566_1?: AssuranceLevel | undefined
}

/**
 * An age signal as a relying party submits it (specification, "Age signal"). A relying party cannot
 * submit a certification.
 */
export interface SubmittedAgeSignal extends AgeSignal {
  readonly type: 'age_verification'
  readonly verification_id: string
}

/**
 * Returns the schema for a method. The schema for `undefined` finds the other mistakes of a signal
 * whose method is unknown. Each schema checks the rules about single members; `signal.ts` adds the
 * rules that need the configuration or the time. Schemas are created on first use: creating all of
 * them would take a fifth of the start time.
 */
export type SignalSchemas<Signal> = (method: Method | undefined) => z.ZodType<Signal>

const absoluteDates = {
  dateOfBirth: textSchema(
    (text) => parseCalendarDate(text) !== undefined,
    breaks('SIG-06', 'must be a calendar date YYYY-MM-DD that exists'),
  ),
  verifiedAt: textSchema(
    (text) => parseInstant(text) !== undefined,
    breaks('SIG-14', `must be ${INSTANT_FORMS}`),
  ),
}

const personaDates: typeof absoluteDates = {
  dateOfBirth: textSchema(
    (text) => parseCalendarDate(text) !== undefined || parseRelativeDate(text)?.anchor === 'today',
    breaks(
      'SIG-06',
      'must be a calendar date YYYY-MM-DD that exists or a relative one such as today - 18y + 1d',
    ),
  ),
  verifiedAt: textSchema(
    (text) => parseInstant(text) !== undefined || parseRelativeDate(text) !== undefined,
    breaks('SIG-14', `must be ${INSTANT_FORMS}, or a relative one such as now - 30d`),
  ),
}

const MAX_LENGTH = 100

/** SIG-12: the identifier that the client chose for a verification. */
const verificationIdSchema = z
  .string({
    error: breaks(
      'SIG-12',
      `must be 1 to ${MAX_LENGTH} characters: letters, digits and _ + / = . -`,
      { fault },
    ),
  })
  .regex(/^[A-Za-z0-9_+/=.-]{1,100}$/)

/** What is wrong with an identifier: its length, or its first forbidden character. */
function fault(text: string): string {
  if (text.length > MAX_LENGTH) return ` (${text.length} characters)`
  const index = text.search(/[^A-Za-z0-9_+/=.-]/)
  if (index < 0) return ''
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
  return ` (character ${index + 1} is ${character === ' ' ? 'a blank' : JSON.stringify(character)})`
}

const submission = {
  type: z.literal('age_verification', { error: breaks('SIG-04', 'must be age_verification') }),
  verification_id: verificationIdSchema,
}

/** A certified ISO 27566-1 level. */
export const levelSchema = z.enum(ASSURANCE_LEVELS, {
  error: breaks('CLM-13', `must be one of ${ASSURANCE_LEVELS.join(', ')}`),
})
const certification = { iso_27566_1: levelSchema.optional() }

const signalError = {
  error: breaks('SIG-01', 'must be an object: one age signal', { unknown: 'SIG-03' }),
}

/** Runs a check of the whole object even if some members are wrong. */
const evenWhenWrong = { when: ({ value }: { readonly value: unknown }) => isJsonObject(value) }

/** Signals in `authorization_details`. */
export const submittedSchemas: SignalSchemas<SubmittedAgeSignal> = schemasOf((method) =>
  z.strictObject({ ...submission, ...statement(method, absoluteDates) }, signalError),
)

/** Submitted signals with the certification that the service knows. */
export const certifiedSchemas: SignalSchemas<SubmittedAgeSignal> = schemasOf((method) =>
  z.strictObject(
    { ...submission, ...statement(method, absoluteDates), ...certification },
    signalError,
  ),
)

/** Signals of a persona, with absolute or relative dates. */
export const personaSchemas: SignalSchemas<AgeSignal> = schemasOf((method) =>
  z.strictObject({ ...statement(method, personaDates), ...certification }, signalError),
)

/** A signal that `parseEvaluationSignals` accepts. */
export const evaluationSignalSchema = z.union([anyOf(personaSchemas), anyOf(certifiedSchemas)])

/** A signal in a persona file. */
export const personaSignalSchema = anyOf(personaSchemas)

function schemasOf<Signal>(make: SignalSchemas<Signal>): SignalSchemas<Signal> {
  const made = new Map<Method | undefined, z.ZodType<Signal>>()
  return (method) => {
    const schema = made.get(method) ?? make(method)
    made.set(method, schema)
    return schema
  }
}

function anyOf<Signal>(schemas: SignalSchemas<Signal>) {
  return z.lazy(() => z.union(METHOD_NAMES.map(schemas)))
}

/** The members that all kinds of age signal share. */
function statement(method: Method | undefined, dates: typeof absoluteDates) {
  return {
    method: methodSchema('SIG-11', method ? [method] : METHOD_NAMES),
    age: ageSchema(method, dates.dateOfBirth),
    verified_at: dates.verifiedAt,
    provenance: z
      .string({
        error: breaks('SIG-19', 'must be a path such as /provider or /provider/sub_provider'),
      })
      .regex(PROVENANCE_PATH, {
        error: breaks(
          'SIG-19',
          'must be /provider or /provider/sub_provider in lowercase letters, digits, underscores',
        ),
      }),
    attributes: method ? attributesSchema(method) : attributesOfAnyMethodSchema,
  }
}

function ageSchema(method: Method | undefined, dateOfBirth: z.ZodType<string>): z.ZodType<Age> {
  const facts = method && METHODS[method]
  const formats = facts?.ageFormats ?? AGE_FORMATS
  const fixed = facts?.fixedAtLeastYears
  return z
    .strictObject(
      {
        date_of_birth: dateOfBirth.optional(),
        at_least_years: yearsSchema('SIG-07').optional(),
        years: yearsSchema('SIG-08').optional(),
      },
      {
        error: breaks('SIG-05', `must be an object with one of ${AGE_FORMATS.join(', ')}`, {
          unknown: 'SIG-03',
        }),
      },
    )
    .superRefine((age, { addIssue }) => {
      for (const format of AGE_FORMATS) {
        if (age[format] === undefined || formats.includes(format)) continue
        addIssue({
          code: 'custom',
          path: [format],
          message: `SIG-09 is no age format of ${method}: give ${formats.join(', ')} instead`,
        })
      }
      if (fixed !== undefined && age.at_least_years !== undefined && age.at_least_years !== fixed) {
        addIssue({
          code: 'custom',
          path: ['at_least_years'],
          message: `SIG-21 must be ${fixed} with ${method}, is ${age.at_least_years}`,
        })
      }
    }, evenWhenWrong)
    .refine((age): age is Age => formatsIn(age).length === 1, {
      error: ({ input }) => {
        const given = isJsonObject(input) ? formatsIn(input) : []
        return `SIG-05 must hold exactly one of ${AGE_FORMATS.join(', ')}, holds ${given.join(' and ') || 'none'}`
      },
      ...evenWhenWrong,
    })
    .meta({
      minProperties: 1,
      maxProperties: 1,
      ...(formats.length === 1 && { required: [...formats] }),
    })
}

const formatsIn = (age: Readonly<Record<string, unknown>>) =>
  AGE_FORMATS.filter((format) => age[format] !== undefined)

/** The name of a method in `allowed`. */
export const methodSchema = (rule: string, allowed: readonly Method[]) =>
  z.enum(allowed, {
    error: breaks(rule, `must be one of ${METHOD_NAMES.join(', ')}`, { synonym: methodSynonym }),
  })

/** A threshold, or an age in whole years. */
export function yearsSchema(rule: string) {
  return z
    .int({ error: breaks(rule, 'must be an integer from 0 to 150') })
    .min(0)
    .max(150)
}

function textSchema(
  isRight: (text: string) => boolean,
  error: ReturnType<typeof breaks>,
): z.ZodType<string> {
  return z.string({ error }).refine(isRight)
}
