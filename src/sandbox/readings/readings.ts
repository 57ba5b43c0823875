import type { Reading, Variant } from './reading.ts'
import { CALLBACK_READINGS } from './rows/callback.ts'
import { ID_TOKEN } from './rows/id-token.ts'
import { ID_TOKEN_CLAIMS } from './rows/id-token-claims.ts'
import { ISSUED } from './rows/issued.ts'
import { LIVES } from './rows/lives.ts'
import { PUBLISHED } from './rows/published.ts'
import { SERVER_REPLIES } from './rows/server-calls.ts'

/** Every silence of the specification that can be read in more than one way. */
export const READINGS: readonly Reading[] = [
  ...SERVER_REPLIES,
  ...CALLBACK_READINGS,
  ...ID_TOKEN_CLAIMS,
  ...ID_TOKEN,
  ...LIVES,
  ...ISSUED,
  ...PUBLISHED,
]

const byName = new Map(READINGS.map((reading) => [reading.name, reading]))

export const findReading = (name: string): Reading | undefined => byName.get(name)

export const findVariant = ({ variants }: Reading, name: string): Variant | undefined =>
  variants.find((variant) => variant.name === name)

/** What cannot hold beside a variant: `unknown_members=everywhere`. The table says it of one of the two. */
export const excludedBy = (reading: string, variant: string): readonly string[] =>
  findReading(reading)?.excludes?.[variant] ?? []

/** A reading as programs read it: the same in `GET catalog` and in `agekey-sandbox explain readings --json`. */
export function describeReading({
  name,
  point,
  section,
  quote,
  open,
  variants,
  excludes = {},
  shownBy,
  ...row
}: Reading) {
  return {
    name,
    point,
    section,
    quote,
    ...(open === undefined ? {} : { open }),
    default: row.default,
    variants: variants.map((variant) => ({
      name: variant.name,
      summary: variant.summary,
      source: variant.source,
      excludes: excludes[variant.name] ?? [],
    })),
    shown_by: shownBy,
  }
}

/** `“Only verifications after it are accepted.” (nothing on when a date begins)` */
export const quotationOf = ({ quote, open }: Pick<Reading, 'quote' | 'open'>): string =>
  `“${quote}”${open === undefined ? '' : ` (${open})`}`
