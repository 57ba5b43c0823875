import type { HttpAnswer } from '../http-call.ts'
import { type Diagnosis, ok, problem, skipped } from './diagnosis.ts'

/** A token is valid for ten minutes, and many libraries allow for no difference at all; headers tell whole seconds. */
const MOST_SECONDS = 30

/** Compares the clock of the sandbox's machine (its `Date` header) with `now`, in epoch milliseconds. */
export function checkClock({ headers }: HttpAnswer, now: number): Diagnosis {
  const theirs = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(theirs)) return skipped('clock', 'the answer has no Date header')
  const seconds = Math.round((theirs - now) / 1000)
  if (Math.abs(seconds) <= MOST_SECONDS) return ok('clock', `${Math.abs(seconds)} s apart`)
  return problem('clock', 'clock_difference', {
    message: `the clock of the sandbox is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine's; tokens would seem ${seconds > 0 ? 'issued in the future' : 'older than they are'}`,
    fix: [
      'on both machines: timedatectl set-ntp true',
      'with Docker Desktop: restart it, its clock stands still while the computer sleeps',
    ],
  })
}
