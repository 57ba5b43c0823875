import type { Reading } from '../../sandbox/readings/reading.ts'
import { describeReading, quotationOf, READINGS } from '../../sandbox/readings/readings.ts'
import { alignColumns, paint, print } from '../terminal.ts'

/** The reading of this name, all of them for `readings`, none for another name. */
export const readingsNamed = (name: string): readonly Reading[] =>
  READINGS.filter((reading) => name === 'readings' || reading.name === name)

/** Lists what the specification leaves open, with the variants of each; the default has a star. */
export function listReadings(readings: readonly Reading[], { json = false }: { readonly json?: boolean }): void {
  if (json) {
    print(JSON.stringify({ readings: readings.map(describeReading) }, undefined, 2))
    return
  }
  for (const reading of readings) {
    const { name, point, section, default: usual, variants } = reading
    print(`${paint('bold', name)}  ${point}`)
    print(`  ${paint('dim', `${section}: ${quotationOf(reading)}`)}`)
    const cells = variants.map((one) => [one.name === usual ? '*' : ' ', one.name, one.summary, one.source])
    for (const line of alignColumns(cells)) print(`  ${line}`)
  }
}
