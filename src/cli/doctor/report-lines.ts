import { paint, visible } from '../terminal.ts'
import type { Diagnosis } from './diagnosis.ts'

const COLORS = { ok: 'green', problem: 'red', skipped: 'dim' } as const

/** A line for each check; below a problem what to change. Texts may come from a server that is none of ours. */
export function reportLines(diagnoses: readonly Diagnosis[]): string[] {
  const count = diagnoses.filter(({ status }) => status === 'problem').length
  const last = count === 0 ? 'All is well.' : `${count} ${count === 1 ? 'problem' : 'problems'}.`
  return [...diagnoses.flatMap(linesOf), last]
}

function linesOf(diagnosis: Diagnosis): string[] {
  const { status, check, message } = diagnosis
  const head = `${paint(COLORS[status], status.padEnd(7))}  ${check.padEnd(12)}  `
  if (diagnosis.status !== 'problem') return [head + visible(message)]
  const fix = diagnosis.fix.map((line) => `${' '.repeat(11)}${visible(line)}`)
  return [`${head}${diagnosis.problem}: ${visible(message)}`, ...fix]
}
