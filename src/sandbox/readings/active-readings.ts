import { DEFAULT_DECISIONS, type Decisions } from '../../oidc/decisions.ts'
import { findRow } from '../outcomes/catalogue.ts'
import type { AnswerChange } from '../outcomes/outcome.ts'
import { type Readings, readingId } from './reading.ts'
import { findVariant, READINGS } from './readings.ts'

/** The readings that a tenant has set. */
export interface ActiveReadings {
  /** The variants that differ from the default, as the journal has them: `refused_token_status=403`. */
  readonly ids: readonly string[] | undefined
  readonly decisions: Decisions
  /** The changes of each answer; empty without readings. */
  readonly changes: readonly AnswerChange[]
}

const NO_READINGS: ActiveReadings = { ids: undefined, decisions: DEFAULT_DECISIONS, changes: [] }

/** Applies readings. Unknown names are ignored: a later version may have stored them. */
export function activate(readings: Readings): ActiveReadings {
  const active = READINGS.flatMap((reading) => {
    const variant = findVariant(reading, readings[reading.name] ?? '')
    if (!variant?.decisions && !variant?.changes) return []
    return [{ ...variant, id: readingId(reading.name, variant.name) }]
  })
  if (active.length === 0) return NO_READINGS
  return {
    ids: active.map(({ id }) => id),
    decisions: Object.assign({}, DEFAULT_DECISIONS, ...active.map(({ decisions }) => decisions)),
    changes: active.flatMap(({ changes = [] }) => changes.map(changeOf)),
  }
}

function changeOf(change: AnswerChange | string): AnswerChange {
  if (typeof change !== 'string') return change
  return findRow(change) ?? fail(change)
}

function fail(row: string): never {
  throw new Error(`a reading names ${row}, which is no row of the catalogue`)
}
