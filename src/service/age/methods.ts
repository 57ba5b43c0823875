/** The formats in which a signal can state an age. */
export const AGE_FORMATS = ['date_of_birth', 'at_least_years', 'years'] as const

export type AgeFormat = (typeof AGE_FORMATS)[number]

/** Values of the attribute `card_type` of a `payment_card_network` signal. */
export const CARD_TYPES = ['credit', 'debit', 'unknown'] as const

/**
 * The allowed values of an attribute: a boolean, an ISO 3166-1 alpha-2 code, a card type, or a
 * configured platform.
 */
export type AttributeKind = 'boolean' | 'country' | 'card_type' | 'platform'

export interface AttributeFacts {
  readonly kind: AttributeKind
  readonly required: boolean
}

export interface MethodFacts {
  /** The age formats that the method allows. */
  readonly ageFormats: readonly AgeFormat[]
  /** The most precise format. The other formats are legal but carry less information. */
  readonly preferredFormat: AgeFormat
  /**
   * The only value of `at_least_years` that the method can report; absent when any value is
   * possible.
   */
  readonly fixedAtLeastYears?: number
  readonly attributes: Readonly<Record<string, AttributeFacts>>
}

export const METHOD_NAMES = [
  'email_age_estimation',
  'facial_age_estimation',
  'national_id_number',
  'digital_credential',
  'id_doc_scan',
  'payment_card_network',
] as const

export type Method = (typeof METHOD_NAMES)[number]

/**
 * The verification methods (specification, "Verification methods"). Schemas, messages and filters
 * are derived from this table.
 */
export const METHODS: Readonly<Record<Method, MethodFacts>> = {
  email_age_estimation: {
    ageFormats: ['at_least_years'],
    preferredFormat: 'at_least_years',
    attributes: {},
  },
  facial_age_estimation: {
    ageFormats: ['at_least_years'],
    preferredFormat: 'at_least_years',
    attributes: { on_device: { kind: 'boolean', required: false } },
  },
  national_id_number: {
    ageFormats: AGE_FORMATS,
    preferredFormat: 'date_of_birth',
    attributes: { issuing_country: { kind: 'country', required: true } },
  },
  digital_credential: {
    ageFormats: AGE_FORMATS,
    preferredFormat: 'date_of_birth',
    attributes: {
      platform: { kind: 'platform', required: true },
      issuing_country: { kind: 'country', required: true },
    },
  },
  id_doc_scan: {
    ageFormats: AGE_FORMATS,
    preferredFormat: 'date_of_birth',
    attributes: {
      face_match_performed: { kind: 'boolean', required: false },
      issuing_country: { kind: 'country', required: false },
    },
  },
  payment_card_network: {
    ageFormats: ['at_least_years'],
    preferredFormat: 'at_least_years',
    fixedAtLeastYears: 18,
    attributes: { card_type: { kind: 'card_type', required: true } },
  },
}

const names: ReadonlySet<unknown> = new Set(METHOD_NAMES)

export function isMethod(value: unknown): value is Method {
  return names.has(value)
}

/** Makes a table with one entry for each method. */
export function byMethod<Thing>(make: (method: Method) => Thing): Record<Method, Thing> {
  return {
    email_age_estimation: make('email_age_estimation'),
    facial_age_estimation: make('facial_age_estimation'),
    national_id_number: make('national_id_number'),
    digital_credential: make('digital_credential'),
    id_doc_scan: make('id_doc_scan'),
    payment_card_network: make('payment_card_network'),
  }
}
