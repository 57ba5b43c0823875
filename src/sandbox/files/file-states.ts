import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './caught.ts'
import { isOutOfDescriptors } from './on-demand.ts'

/**
 * The states of files, by path. The state of a file changes when the file changes, disappears or
 * becomes unreachable.
 */
export type FileStates = ReadonlyMap<string, string>

/**
 * Reads the states of files, and of folders with their files. This polls the file system, because
 * change notifications do not work on network drives and bind mounts of containers. It follows
 * symbolic links, which Kubernetes uses to replace the files of a ConfigMap.
 * @param paths files and folders; a missing path has a state too
 * @param isRead selects the entries of a folder
 * @throws Error `EMFILE` or `ENFILE` while too many files are open
 */
export async function readFileStates(
  paths: readonly string[],
  isRead: (entry: Dirent) => boolean = () => false,
): Promise<FileStates> {
  const states = new Map<string, string>()
  for (const path of paths) {
    const state = await stateOf(path)
    states.set(path, state)
    if (state !== FOLDER) continue
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (isOutOfDescriptors(error)) throw error
      states.set(path, codeOf(error) ?? '')
      return []
    })
    const files = entries.filter(isRead).map(({ name }) => join(path, name))
    const found = await Promise.all(files.map(stateOf))
    for (const [index, file] of files.entries()) states.set(file, found[index] ?? '')
  }
  return states
}

/** The paths whose states differ. */
export const changedPaths = (before: FileStates, after: FileStates): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )

const FOLDER = 'folder'

async function stateOf(path: string): Promise<string> {
  try {
    const stats = await stat(path, { bigint: true })
    if (stats.isDirectory()) return FOLDER
    // A pipe or a terminal delivers its text only once, so it cannot be read again.
    if (!stats.isFile()) return 'no file'
    // The inode number is left out, because some network drives change it on each call.
    return `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  } catch (error) {
    return codeOf(error) ?? ''
  }
}
