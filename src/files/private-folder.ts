import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from './caught.ts'

/**
 * Makes sure of a folder in which private keys can be written. A new one is open to its owner only, and git ignores it:
 * it may stand in a repository.
 * @throws Error of the operating system
 */
export async function preparePrivateFolder(folder: string): Promise<void> {
  const isNew = await makeFolder(folder)
  if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder')
  await access(folder, constants.W_OK)
  if (isNew) await writeFile(join(folder, '.gitignore'), '*\n')
}

/** `false` when it was there. Not `mkdir` with `recursive`: on Node 20 that never returns for a folder below /proc. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    return await makeLast(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await makeFolder(dirname(folder))
  return await makeLast(folder)
}

async function makeLast(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
