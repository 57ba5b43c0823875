import { codeOf } from '../../files/caught.ts'
import { MAX_UNREAD_BYTES, type Output } from '../terminal.ts'

/** A log whose lines are dropped when they cannot be written: it neither ends the process nor fills its memory. */
export interface Log {
  /** Writes the line that comes before all others, later when it cannot be written now. */
  first(line: string): void
  /** Writes a line together with those that come in the same turn: a write takes as long as a tenth of an answer. */
  line(line: string): void
}

/** Creates a log. `onWarning` hears when lines begin to be dropped, and when they can be written again. */
export function createLog(write: Output, onWarning: (message: string) => void): Log {
  let owed = ''
  let waiting: string[] = []
  let missing: number | undefined
  const flush = () => {
    const lines = waiting
    waiting = []
    const error = write(owed + lines.join(''), { maxUnreadBytes: MAX_UNREAD_BYTES })
    if (error === undefined) {
      if (missing !== undefined) onWarning(`log: it is written again; lines that are missing: ${missing}`)
      owed = ''
      missing = undefined
      return
    }
    // A reader that has seen enough (`| head`) closes the pipe on purpose.
    if (missing === undefined && codeOf(error) !== 'EPIPE') {
      onWarning(`log: it cannot be written (${error.message}); its lines are dropped until it can`)
    }
    missing = (missing ?? 0) + lines.length
  }
  return {
    first(line) {
      owed = `${line}\n`
      flush()
    },
    line(line) {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(`${line}\n`)
    },
  }
}
