import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { coverageIn } from '../../sandbox/coverage/counters.ts'
import type { Coverage } from '../../sandbox/coverage/coverage.ts'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { MAX_REPORT_BYTES, readTextFile } from '../../sandbox/files/text-file.ts'
import { takeTurn } from '../../sandbox/take-turn.ts'

/** Milliseconds from a change to its file. */
const WRITE_AFTER_MS = 1_000

/**
 * Keeps a file of the coverage of this process up to date.
 * @param file is replaced by each run
 * @throws ConfigError when its folder cannot be written, or when the file is no coverage file
 */
export async function openCoverageFile(
  file: string,
  { onWarning = () => {} }: { onWarning?: ((message: string) => void) | undefined },
) {
  await checkFolder(file)
  checkStanding(file)
  let read: (() => Promise<Coverage>) | undefined
  let isDirty = false
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = async () => {
    if (!isDirty || !read) return
    isDirty = false
    await takeTurn()
    try {
      await replaceFile(file, `${JSON.stringify(await read(), undefined, 2)}\n`, { mode: 0o644 })
    } catch (error) {
      onWarning(
        `the option coverageFile: ${file} cannot be written (${messageOf(error)}); it lacks what came last`,
      )
    }
  }
  /** Writes the counters, after a write that is under way. */
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    // One write after the other, so that the last one has everything.
    writing = writing.then(write)
    return writing
  }
  /** A counter changed: the file is written within a second. */
  const changed = () => {
    isDirty = true
    timer ??= setTimeout(flush, WRITE_AFTER_MS).unref()
  }
  return {
    changed,
    flush,
    /**
     * Writes the first file at once, so that the file of an earlier run is not taken for this one.
     */
    begin(reader: () => Promise<Coverage>) {
      read = reader
      isDirty = true
      void flush()
    },
  }
}

async function checkFolder(file: string): Promise<void> {
  const folder = dirname(resolve(file))
  const writable = access(folder, constants.W_OK).then(() => stat(folder))
  const stats = await writable.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw refused(file, `there is no folder ${folder}; make it, or name another one`)
    throw refused(file, `its folder cannot be written (${messageOf(error)}); name another one`)
  })
  if (!stats.isDirectory())
    throw refused(file, `${folder} is not a folder; name a file in a folder`)
}

/** A mistyped path must not overwrite a file of another program. */
function checkStanding(file: string): void {
  const read = readTextFile(file, { maxBytes: MAX_REPORT_BYTES })
  if (!read.ok && read.code === 'ENOENT') return
  if (!read.ok && read.code !== undefined)
    throw refused(file, `it cannot be read (${read.reason}); name another file`)
  if (!read.ok || (read.text !== '' && coverageIn(read.text) === undefined))
    throw refused(
      file,
      'it is no coverage file, and each run replaces it; name another file, or delete it',
    )
}

const refused = (file: string, reason: string) =>
  ConfigError.ofSetting(['coverage_file'], { label: 'coverageFile', reason: `${file}: ${reason}` })
