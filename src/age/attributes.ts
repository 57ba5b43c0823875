import * as z from 'zod'
import { breaks } from './explain.ts'
import { type AttributeKind, CARD_TYPES, METHODS, type Method } from './methods.ts'
import { COUNTRIES } from './vocabulary.ts'

/** What a value of each kind must be, for messages. */
const SENTENCES: Readonly<Record<AttributeKind, string>> = {
  boolean: 'must be true or false',
  country: 'must be an assigned ISO 3166-1 alpha-2 code in capitals, such as US or GB',
  card_type: `must be one of ${CARD_TYPES.join(', ')}`,
  platform: 'must be the name of a platform',
}

type Attributes = Readonly<Record<string, boolean | string>>

/** The attributes of a signal: only attributes of its method, and all required ones. */
export function attributesSchema(method: Method): z.ZodType<Attributes | undefined> {
  const facts = Object.entries(METHODS[method].attributes)
  const required = facts.filter(([, { required }]) => required).map(([name]) => name)
  const schema = z.strictObject(
    Object.fromEntries(facts.map(([name, { kind, required }]) => [name, valueSchema(kind, { required })])),
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

/** The attributes of a signal whose method is unknown, of which nothing more can be checked. */
export const attributesOfAnyMethodSchema: z.ZodType<Attributes | undefined> = z
  .object({}, { error: breaks('SIG-16', 'must be an object') })
  .catchall(z.union([z.boolean(), z.string()], { error: breaks('SIG-18', 'must be true, false or text') }))
  .optional()

/** What a request may ask of an attribute: the boolean it must equal, or the list that must contain it. */
export function attributeRequirementSchema(kind: AttributeKind): z.ZodType<boolean | string[]> {
  const error = breaks('CLM-19', SENTENCES[kind])
  if (kind === 'boolean') return z.boolean({ error })
  return z
    .array(textSchema(kind, error), { error: breaks('CLM-19', 'must be a non-empty array of accepted values') })
    .min(1)
}

/** Platforms are configured, so the schema accepts any text. */
function valueSchema(kind: AttributeKind, { required }: { required: boolean }) {
  const error = breaks('SIG-18', SENTENCES[kind], { missing: 'SIG-17' })
  const schema = kind === 'boolean' ? z.boolean({ error }) : textSchema(kind, error)
  return required ? schema : schema.exactOptional()
}

function textSchema(kind: Exclude<AttributeKind, 'boolean'>, error: ReturnType<typeof breaks>): z.ZodType<string> {
  if (kind === 'country') return z.enum(COUNTRIES, { error })
  if (kind === 'card_type') return z.enum(CARD_TYPES, { error })
  return z.string({ error })
}
