import { DEFAULT_DECISIONS } from '../../oidc/decisions.ts'
import type { Reading, ReadingRow, Variant } from './reading.ts'
import { CALLBACK_READINGS } from './rows/callback.ts'
import { ID_TOKEN } from './rows/id-token.ts'
import { LIVES } from './rows/lives.ts'
import { PUBLISHED } from './rows/published.ts'
import { SERVER_REPLIES } from './rows/server-calls.ts'

const ROWS: readonly ReadingRow[] = [...SERVER_REPLIES, ...CALLBACK_READINGS, ...ID_TOKEN, ...LIVES, ...PUBLISHED]

/** All points that the specification leaves open. */
export const READINGS: readonly Reading[] = ROWS.map(({ decides, source, variants, shownBy, ...row }) => {
  const variantOf = (name: string, given: string | Omit<Variant, 'name' | 'source'>): Variant => {
    const value = /^\d+$/.test(name) ? Number(name) : name
    const isOther = decides && value !== DEFAULT_DECISIONS[decides]
    const said = typeof given === 'string' ? { summary: given } : given
    return { name, source, ...(isOther && { decisions: { [decides]: value } }), ...said }
  }
  return {
    ...row,
    shownBy: shownBy ?? ['use/verified'],
    // An object lists names that are numbers first; the default must lead.
    variants: Object.entries(variants)
      .map(([name, given]) => variantOf(name, given))
      .sort((one, other) => Number(other.name === row.default) - Number(one.name === row.default)),
  }
})

const byName = new Map(READINGS.map((reading) => [reading.name, reading]))

export const findReading = (name: string): Reading | undefined => byName.get(name)

export const findVariant = ({ variants }: Reading, name: string): Variant | undefined =>
  variants.find((variant) => variant.name === name)

/** Variants that a variant excludes: `unknown_members=everywhere`. The table states it for one of the two. */
export const excludedBy = (reading: string, variant: string): readonly string[] =>
  findReading(reading)?.excludes?.[variant] ?? []

/** A reading as programs read it: the same in `GET catalog` and in `agekey-sandbox explain readings --json`. */
export const describeReading = ({ variants, excludes = {}, shownBy, ...told }: Reading) => ({
  ...told,
  variants: variants.map(({ name, summary, source }) => ({ name, summary, source, excludes: excludes[name] ?? [] })),
  shown_by: shownBy,
})

/** `“Only verifications after it are accepted.” (nothing on when a date begins)` */
export const quotationOf = ({ quote, open }: Pick<Reading, 'quote' | 'open'>): string =>
  `“${quote}”${open === undefined ? '' : ` (${open})`}`
