import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './caught.ts'
import { isOutOfDescriptors } from './on-demand.ts'

/**
 * The states of files by their paths. A state is a text that differs once the file has changed, has
 * gone or cannot be reached.
 */
export type FileStates = ReadonlyMap<string, string>

/**
 * Looks at files, and at folders with their files. It asks the file system, since notices of
 * changes do not cross network drives or the bind mounts of containers, and looks through symbolic
 * links, by which Kubernetes swaps the files of a ConfigMap.
 * @param paths files and folders; a missing one has a state, too
 * @param isRead chooses the entries of a folder
 * @throws Error `EMFILE` or `ENFILE` while no folder can be opened
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

/** The paths whose states differ, in the order in which they were looked at. */
export const changedPaths = (before: FileStates, after: FileStates): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )

const FOLDER = 'folder'

async function stateOf(path: string): Promise<string> {
  try {
    const stats = await stat(path, { bigint: true })
    if (stats.isDirectory()) return FOLDER
    // A pipe or a terminal gives its text once: nothing can be read there again.
    if (!stats.isFile()) return 'no file'
    // Without the number of the inode, which some network drives make up anew at each look.
    return `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  } catch (error) {
    return codeOf(error) ?? ''
  }
}
