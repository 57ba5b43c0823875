import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from './caught.ts'

/**
 * Prepares a folder for private keys. A new folder is accessible only to its owner, and has a
 * `.gitignore`, because it may be in a repository.
 * @throws Error of the operating system
 */
export async function preparePrivateFolder(folder: string): Promise<void> {
  const isNew = await makeFolder(folder)
  if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder')
  await access(folder, constants.W_OK)
  if (isNew) await writeFile(join(folder, '.gitignore'), '*\n')
}

/**
 * Creates a folder; returns `false` when it exists. `mkdir` with `recursive` is not used, because
 * on Node 20 it never returns for a folder below /proc.
 */
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
