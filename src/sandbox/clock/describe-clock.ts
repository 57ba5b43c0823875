import type { SandboxClock } from './clock.ts'

/** How the clock differs from real time, in words: `+1 day 2 h`, `frozen at 2026-01-31 12:00:00Z`; `undefined` in real time. */
export function describeClock(clock: Pick<SandboxClock, 'now' | 'remember'>): string | undefined {
  const { set, frozenAt, advancedMs } = clock.remember()
  if (frozenAt !== undefined) return `frozen at ${new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ')}Z`
  if (set === undefined && advancedMs === 0) return undefined
  const offsetMs = advancedMs + (set === undefined ? 0 : set.instant - set.startedAt)
  return `${offsetMs < 0 ? '−' : '+'}${describeSeconds(Math.round(Math.abs(offsetMs) / 1000))}`
}

const UNITS = [
  { seconds: 86_400, title: (count: number) => `${count} day${count === 1 ? '' : 's'}` },
  { seconds: 3600, title: (count: number) => `${count} h` },
  { seconds: 60, title: (count: number) => `${count} min` },
  { seconds: 1, title: (count: number) => `${count} s` },
] as const

/** A number of seconds by its two largest units: `1 day 2 h`, `1 min 31 s`. */
export function describeSeconds(seconds: number): string {
  const parts: string[] = []
  let rest = seconds
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.seconds)
    rest -= count * unit.seconds
    if (count > 0) parts.push(unit.title(count))
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}
