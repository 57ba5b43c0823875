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
 * The settings of a start, and a watch on their files: the config file, persona files and persona
 * folders.
 */
export interface WatchedSettings {
  readonly settings: Settings
  /**
   * Polls the files and applies changes to the running sandbox. A change that cannot be applied is
   * reported and has no effect.
   * @returns a function that ends the watch
   */
  watch(running: Running): () => void
}

/** A running sandbox, and the report of the command. */
export interface Running {
  /** Applies the settings that can change at run time, all or none. @throws ConfigError */
  change(settings: Settings): Promise<TakenUp>
  readonly report: Pick<Report, 'warning' | 'note' | 'defect'>
}

/** Reads the settings of a start. @throws ConfigError like `loadSettings` */
export async function readWatchedSettings(
  flags: Texts,
  cwd: string = process.cwd(),
): Promise<WatchedSettings> {
  const configFile = configPath({ flags, cwd })
  // Before the files are read, so that the watch notices changes during the reading.
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

/** A watch: its fixed parts, and its state. */
interface Watch {
  readonly flags: Texts
  readonly cwd: string
  /** The path of the config file, even if the file does not exist. */
  readonly configFile: string
  readonly started: Settings
  readonly running: Running
  /** Warnings that were already reported. */
  readonly given: Set<string>
  /** The last settings that were read without error. */
  wanted: Settings
  /** The files at the last look. */
  seen: FileStates
  /** The states of the files when their content was last read. */
  read: FileStates
  /** Whether a missing or empty config file was reported. */
  isGone: boolean
  /** Whether the last change was refused with a warning. */
  isRefused: boolean
  /** Whether the config file was read, but settings that need a restart are not yet reported. */
  isRestartUnsaid: boolean
}

/** Milliseconds between looks: short enough that the next page shows a new name. */
const LOOK_EVERY_MS = 200

/** A pause is this many times as long as a look, so looks take at most a twentieth of the time. */
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
  // Waits for two equal looks: an editor may write a file in parts, or delete and rewrite it.
  if (changed.length === 0 || !isAtRest) return
  const isConfigRead = changed.includes(configFile) && (await readConfig(watch))
  const config = [configFile, seen.get(configFile) ?? ''] as const
  if (!isConfigRead && changed.every((path) => path === configFile)) {
    // Personas were not read, so the watch must still notice their changes.
    watch.read = new Map([...watch.read, config])
    return
  }
  // Before the personas are read, so that the next look notices changes during the reading. The new
  // settings may name other persona folders.
  const states = new Map([...(await readStates(watch)), config])
  await takeUp(watch, changed)
  watch.seen = states
  watch.read = states
}

const readStates = ({ configFile, wanted }: Watch) =>
  readFileStates([configFile, ...(wanted.sandbox.personas ?? [])], isPersonaFile)

/**
 * Reads the settings again. A failure is reported, and the earlier settings stay in force.
 * @returns whether the settings were read
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
 * Reports a missing or empty config file, once until the file is back. An editor may empty a file
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

/** Maximum number of files in a message. */
const MAX_LISTED = 3

function listed(files: readonly string[]): string {
  const more = files.length - MAX_LISTED
  const shown = files.slice(0, MAX_LISTED).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** Whether an error is temporary: the next look tries again. */
const isPassing = (error: unknown): boolean =>
  isOutOfDescriptors(error) || (error instanceof Error && isOutOfDescriptors(error.cause))
