import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import {
  changedPaths,
  type FileStates,
  readFileStates,
} from '../../../sandbox/files/file-states.ts'
import { isOutOfDescriptors } from '../../../sandbox/files/on-demand.ts'
import { shortPath } from '../../../sandbox/files/short-path.ts'
import { isPersonaFile } from '../../../sandbox/personas/persona-folder.ts'
import { configPath, loadSettings, type Settings } from '../../../server/config/load-settings.ts'
import { changedSettings } from '../../../server/config/settings.ts'
import type { Texts } from '../../../server/config/text-settings.ts'
import type { TakenUp } from '../../../server/create-sandbox.ts'
import { snakeCase } from '../../../service/text/camel-case.ts'
import type { Report } from './report.ts'

/**
 * The settings of a start, whose files can be watched: the config file, persona files and their
 * folders.
 */
export interface WatchedSettings {
  readonly settings: Settings
  /**
   * Looks at the files again and again, and has the sandbox take up what changed. What cannot be
   * taken up is reported, and changes nothing.
   * @returns a function that ends this
   */
  watch(running: Running): () => void
}

/** A running sandbox, and the report of the command. */
export interface Running {
  /** Takes up the settings that a running sandbox can take up, all or none. @throws ConfigError */
  change(settings: Settings): Promise<TakenUp>
  readonly report: Pick<Report, 'warning' | 'note' | 'defect'>
}

/** Reads the settings of a start. @throws ConfigError what `loadSettings` throws */
export async function readWatchedSettings(
  flags: Texts,
  cwd: string = process.cwd(),
): Promise<WatchedSettings> {
  const configFile = configPath({ flags, cwd })
  // Before the files are read, so that the watch sees what changes meanwhile.
  const config = await readFileStates([configFile])
  const settings = await loadSettings({ flags, cwd })
  const personas = await readFileStates(settings.sandbox.personas ?? [], isPersonaFile)
  const states = new Map([...config, ...personas])
  return {
    settings,
    watch: (running) =>
      lookAgainAndAgain({
        flags,
        cwd,
        configFile,
        started: settings,
        running,
        given: new Set(settings.warnings),
        wanted: settings,
        seen: states,
        read: states,
        isGone: false,
        isRefused: false,
        isRestartUnsaid: false,
      }),
  }
}

/** A watch: what stays the same, and what it knows at present. */
interface Watch {
  readonly flags: Texts
  readonly cwd: string
  /** Where the config file stands, or would stand. */
  readonly configFile: string
  readonly started: Settings
  readonly running: Running
  /** Warnings about settings that were given already. */
  readonly given: Set<string>
  /** The settings that were last read well. */
  wanted: Settings
  /** The files at the last look. */
  seen: FileStates
  /** The files as they were when they were read. */
  read: FileStates
  /** Whether it is reported that the config file is gone or empty. */
  isGone: boolean
  /** Whether the last save was reported as one that cannot be taken up. */
  isRefused: boolean
  /** Whether a saved config file was read, and what of it needs a restart is not said yet. */
  isRestartUnsaid: boolean
}

/** Often enough that the next page shows a new name. */
const LOOK_EVERY_MS = 200

/** A look at a large folder takes a twentieth of the time at most. */
const PAUSES_PER_LOOK = 19

function lookAgainAndAgain(watch: Watch): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const lookAfter = (milliseconds: number) => {
    if (!isStopped) timer = setTimeout(lookOnce, milliseconds).unref()
  }
  const lookOnce = async () => {
    const passed = startStopwatch()
    await look(watch).catch((error: unknown) => {
      // The next look finds the same change.
      if (!isPassing(error)) watch.running.report.defect(error)
    })
    lookAfter(Math.max(LOOK_EVERY_MS, passed() * PAUSES_PER_LOOK))
  }
  lookAfter(LOOK_EVERY_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

async function look(watch: Watch): Promise<void> {
  const { configFile } = watch
  const seen = await readStates(watch)
  const isAtRest = changedPaths(watch.seen, seen).length === 0
  watch.seen = seen
  const changed = changedPaths(watch.read, seen)
  // An editor may write a file in parts, or delete the file and write it again.
  if (changed.length === 0 || !isAtRest) return
  const isConfigRead = changed.includes(configFile) && (await readConfig(watch))
  const config = [configFile, seen.get(configFile) ?? ''] as const
  if (!isConfigRead && changed.every((path) => path === configFile)) {
    // No persona is read now, so a change of one is still to be seen.
    watch.read = new Map([...watch.read, config])
    return
  }
  // Before the personas are read, which may be others now: the next look sees what changes
  // meanwhile.
  const states = new Map([...(await readStates(watch)), config])
  await takeUp(watch, changed)
  watch.seen = states
  watch.read = states
}

const readStates = ({ configFile, wanted }: Watch) =>
  readFileStates([configFile, ...(wanted.sandbox.personas ?? [])], isPersonaFile)

/**
 * Reads the settings again.
 * @returns whether that succeeded. A failure is reported, and the earlier settings stay in force
 */
async function readConfig(watch: Watch): Promise<boolean> {
  const { flags, cwd, wanted, running, given } = watch
  try {
    const settings = await loadSettings({ flags, cwd })
    if (settings.isBlank && !wanted.isBlank) {
      reportGone(watch, settings.configFile === undefined ? 'is not there' : 'is empty')
      return false
    }
    for (const warning of settings.warnings) {
      if (!given.has(warning)) running.report.warning(warning)
      given.add(warning)
    }
    watch.wanted = settings
    watch.isGone = false
    watch.isRestartUnsaid = true
    return true
  } catch (error) {
    if (isPassing(error)) throw error
    if (error instanceof Error && codeOf(error.cause) === 'ENOENT') {
      reportGone(watch, 'is not there')
      return false
    }
    running.report.warning(`${messageOf(error)} (what the file said before stays in force)`)
    watch.isRefused = true
    return false
  }
}

/**
 * Reports a missing or empty config file once, until the file is back: an editor may empty a file
 * and then delete it.
 */
function reportGone(watch: Watch, state: string): void {
  if (watch.isGone) return
  watch.isGone = true
  watch.isRefused = true
  watch.running.report.warning(
    `${shortPath(watch.cwd, watch.configFile)} ${state}; what it said before stays in force until it is a file again; ` +
      'restart to run without it',
  )
}

async function takeUp(watch: Watch, changed: readonly string[]): Promise<void> {
  const { report, change } = watch.running
  const files = listed(changed.map((path) => shortPath(watch.cwd, path)))
  try {
    const taken = await change(watch.wanted)
    reportTakenUp(watch, taken, files)
    watch.isRefused = false
  } catch (error) {
    if (isPassing(error)) throw error
    report.warning(`${messageOf(error)} (nothing of this save is taken up)`)
    watch.isRefused = true
  }
}

function reportTakenUp(watch: Watch, { changed, overruled }: TakenUp, files: string): void {
  const { report } = watch.running
  if (changed.length > 0) report.note(`took up ${inWords(changed)} of ${files}`)
  if (overruled.length > 0) {
    report.warning(
      `${inWords(overruled)}: a call has set this for tenant default, whose own value goes before that of ${files}; ` +
        'set it by PUT /_sandbox/tenants/default, too',
    )
  }
  const waiting = watch.isRestartUnsaid
    ? changedSettings(valuesOf(watch.started), valuesOf(watch.wanted), 'restart')
    : []
  watch.isRestartUnsaid = false
  if (waiting.length > 0)
    report.warning(
      `${shortPath(watch.cwd, watch.configFile)}: restart to take up ${inWords(waiting)}`,
    )
  if (watch.isRefused && changed.length + waiting.length === 0)
    report.note(`read ${files} again: nothing changed`)
}

const valuesOf = ({ log, sandbox }: Settings) => ({ ...sandbox, log })

const inWords = (names: readonly string[]) => names.map(snakeCase).join(', ')

/** Files that a line names, at most. */
const MAX_LISTED = 3

function listed(files: readonly string[]): string {
  const more = files.length - MAX_LISTED
  const shown = files.slice(0, MAX_LISTED).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** Whether the error passes by itself: the next look tries again. */
const isPassing = (error: unknown): boolean =>
  isOutOfDescriptors(error) || (error instanceof Error && isOutOfDescriptors(error.cause))
