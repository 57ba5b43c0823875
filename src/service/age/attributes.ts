import * as z from 'zod'
import { breaks } from './explain.ts'
import { type AttributeKind, CARD_TYPES, METHODS, type Method } from './methods.ts'
import { COUNTRIES } from './vocabulary.ts'

/** The allowed values of each kind, in the words of a message. */
const SENTENCES: Readonly<Record<AttributeKind, string>> = {
  boolean: 'must be true or false',
  country: 'must be an assigned ISO 3166-1 alpha-2 code in capitals, such as US or GB',
  card_type: `must be one of ${CARD_TYPES.join(', ')}`,
  platform: 'must be the name of a platform',
}

type Attributes = Readonly<Record<string, boolean | string>>

/**
 * A schema for the attributes of a signal: every required attribute of the method, and no attribute
 * that the method does not have.
 */
export function attributesSchema(method: Method): z.ZodType<Attributes | undefined> {
  const facts = Object.entries(METHODS[method].attributes)
  const required = facts.filter(([, { required }]) => required).map(([name]) => name)
  const schema = z.strictObject(
    Object.fromEntries(
      facts.map(([name, { kind, required }]) => {
        const value = VALUE_SCHEMAS[kind]
        return [name, required ? value : value.exactOptional()]
      }),
    ),
    {
      error: breaks(
        'SIG-16',
        required.length > 0 ? `must be an object with ${required.join(', ')}` : 'must be an object',
        { missing: 'SIG-17', members: `Attributes of ${method}` },
      ),
    },
  )
  return required.length > 0 ? schema : schema.optional()
}

/**
 * The attributes of a signal whose method is unknown: only the types of the values can be checked.
 */
export const attributesOfAnyMethodSchema: z.ZodType<Attributes | undefined> = z
  .object({}, { error: breaks('SIG-16', 'must be an object') })
  .catchall(
    z.union([z.boolean(), z.string()], { error: breaks('SIG-18', 'must be true, false or text') }),
  )
  .optional()

/**
 * Makes one schema for each kind. The schema of countries is slow to create, so the methods share
 * it.
 */
const byKind = <Schema>(
  make: (kind: AttributeKind) => Schema,
): Readonly<Record<AttributeKind, Schema>> => ({
  boolean: make('boolean'),
  country: make('country'),
  card_type: make('card_type'),
  platform: make('platform'),
})

/**
 * The requirement of a request on an attribute: the boolean that the attribute must equal, or the
 * list that must contain it.
 */
export const REQUIREMENT_SCHEMAS = byKind((kind): z.ZodType<boolean | string[]> => {
  const value = schemaOf(kind, breaks('CLM-19', SENTENCES[kind]))
  if (value instanceof z.ZodBoolean) return value
  return z
    .array(value, { error: breaks('CLM-19', 'must be a non-empty array of accepted values') })
    .min(1)
})

const VALUE_SCHEMAS = byKind((kind) =>
  schemaOf(kind, breaks('SIG-18', SENTENCES[kind], { missing: 'SIG-17' })),
)

/** Platforms are configurable, so this schema accepts any text; `signal.ts` checks the platform. */
function schemaOf(kind: AttributeKind, error: ReturnType<typeof breaks>) {
  if (kind === 'boolean') return z.boolean({ error })
  if (kind === 'country') return z.enum(COUNTRIES, { error })
  return kind === 'card_type' ? z.enum(CARD_TYPES, { error }) : z.string({ error })
}
