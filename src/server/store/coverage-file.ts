import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Coverage } from '../../sandbox/coverage/coverage.ts'
import { coverageIn } from '../../sandbox/coverage/seen-by-clients.ts'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { replaceFile } from '../../sandbox/files/private-file.ts'
import { MAX_REPORT_BYTES, readTextFile } from '../../sandbox/files/text-file.ts'
import type { Journal, SeenName } from '../../sandbox/journal/journal.ts'
import { takeTurn } from '../../sandbox/take-turn.ts'
import { type Awaitable, whenThere } from '../../service/oidc/ports.ts'

/** Milliseconds between a change and the write of the file. */
const WRITE_AFTER_MS = 1_000

/** The file with the coverage of a sandbox, kept up to date. */
export interface CoverageFile {
  /** Wraps the journal, so that each change of the coverage is written. */
  watch(journal: Journal): Journal
  /**
   * Writes the file at once, so that the file of an earlier run is not mistaken for the current
   * one.
   * @param reader derives the coverage from the journal
   */
  begin(reader: () => Promise<Coverage>): void
  /** Writes all pending changes, after a write in progress. */
  flush(): Promise<void>
}

/**
 * Opens a coverage file, which each run replaces. Each write goes to a draft, which is then
 * renamed, so that readers always find a complete file.
 * @throws ConfigError when its folder cannot be written, or when the file is not a coverage file
 */
export async function openCoverageFile(
  file: string,
  { onWarning = () => {} }: { onWarning?: ((message: string) => void) | undefined },
): Promise<CoverageFile> {
  await checkFolder(file)
  checkStandingFile(file)
  let read: (() => Promise<Coverage>) | undefined
  let isDirty = false
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = async () => {
    if (!isDirty || !read) return
    // Cleared before the coverage is read: a change during the write needs another write.
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
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  const changed = () => {
    isDirty = true
    timer ??= setTimeout(flush, WRITE_AFTER_MS).unref()
  }
  return {
    watch: (journal) => watchedJournal(journal, changed),
    begin(reader) {
      read = reader
      isDirty = true
      void flush()
    },
    flush,
  }
}

/** Wraps a journal: it calls `changed` after each change of the coverage. */
function watchedJournal(journal: Journal, changed: () => void): Journal {
  const { seen } = journal
  const reportAfter = <Result>(change: Awaitable<Result>, names: readonly SeenName[]) =>
    whenThere(change, (result) => {
      if (names.length > 0) changed()
      return result
    })
  return {
    ...journal,
    record: (tenant, entry) => reportAfter(journal.record(tenant, entry), entry.seen),
    seen: {
      ...seen,
      add: (tenant, names) => reportAfter(seen.add(tenant, names), names),
      async clear(tenant) {
        await seen.clear(tenant)
        changed()
      },
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
function checkStandingFile(file: string): void {
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
