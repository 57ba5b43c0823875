import { didYouMean, nearest } from '../age/nearest.ts'
import { ControlError } from '../http/parse.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'

/** @throws ControlError with the nearest names when no row of the catalogue has this one. */
export function checkOutcome(name: string): void {
  const names = [...new Set(OUTCOMES.map((row) => row.name))]
  if (names.includes(name)) return
  const message = `outcome: there is none called ${JSON.stringify(name.slice(0, 80))}.${didYouMean(name, names)}`
  throw new ControlError(400, message, { suggestions: nearest(name, names) })
}
