import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

/** The name of no folder: keys and certificate live in memory. */
export const NO_STATE = 'none'

/** Where state is kept, if anywhere, and the warnings about it. */
export interface StateFolder {
  readonly stateDir: string | undefined
  readonly warnings: readonly string[]
}

/**
 * The folder that was `named`, else the one that the platform has for such things. That one may be missing: without a home,
 * or where it cannot be written, state lives in memory. A folder that was named is not looked at here.
 */
export function settleStateFolder(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StateFolder {
  if (named !== undefined) return { stateDir: named === NO_STATE ? undefined : named, warnings: [] }
  const home = stateHome(env, process.platform)
  if (home === undefined) return { stateDir: undefined, warnings: [] }
  const stateDir = join(home, 'agekey-sandbox')
  if (isWritable(stateDir)) return { stateDir, warnings: [] }
  const warning = `${stateDir} cannot be written: the signing keys live in memory and change with each start; name another folder with --state-dir, or say none`
  return { stateDir: undefined, warnings: [warning] }
}

/** Where programs keep what outlives a run: of the XDG base directories, or its counterpart elsewhere. */
export function stateHome(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | undefined {
  const { XDG_STATE_HOME: named = '', HOME: home = '', LOCALAPPDATA: local = '' } = env
  if (isAbsolute(named)) return named
  if (platform === 'win32') return local || undefined
  if (!isAbsolute(home)) return undefined
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'state')
}

function isWritable(folder: string): boolean {
  if (!existsSync(folder)) return isWritable(dirname(folder))
  try {
    accessSync(folder, constants.W_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
