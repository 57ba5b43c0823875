import { ConfigError } from '../../files/config-error.ts'
import type { Reading } from '../../sandbox/readings/reading.ts'
import { describeReading, quotationOf, READINGS } from '../../sandbox/readings/readings.ts'
import { didYouMean, quote } from '../../text/message-parts.ts'
import { alignColumns, paint, print } from '../terminal.ts'

/**
 * Lists what the specification leaves open, with the variants of each; the default has a star.
 * @param pattern a part of a name, a point or a summary; all when absent
 * @throws ConfigError with near misses, when nothing is found
 */
export function listReadings(pattern: string | undefined, { json = false }: { readonly json?: boolean }): void {
  const found = findReadings(pattern)
  if (json) {
    print(JSON.stringify({ readings: found.map(describeReading) }, undefined, 2))
    return
  }
  for (const reading of found) {
    const { name, point, section, default: usual, variants } = reading
    print(`${paint('bold', name)}  ${point}`)
    print(`  ${paint('dim', `${section}: ${quotationOf(reading)}`)}`)
    const cells = variants.map((one) => [one.name === usual ? '*' : ' ', one.name, one.summary, one.source])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}

function findReadings(pattern: string | undefined): readonly Reading[] {
  if (pattern === undefined) return READINGS
  const exact = READINGS.filter(({ name }) => name === pattern)
  if (exact.length > 0) return exact
  const word = pattern.toLowerCase()
  const found = READINGS.filter(({ name, point, variants }) =>
    [name, point, ...variants.map(({ summary }) => summary)].some((text) => text.toLowerCase().includes(word)),
  )
  if (found.length > 0) return found
  const names = READINGS.map(({ name }) => name)
  const hint = didYouMean(pattern, names) || ' agekey-sandbox readings lists all of them.'
  throw ConfigError.of(`no reading has ${quote(pattern)} in its name, its point or its variants.${hint}`)
}
