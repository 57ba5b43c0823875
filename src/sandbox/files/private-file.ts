import { randomUUID } from 'node:crypto'
import { link, lstat, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from './caught.ts'

/**
 * Creates a file with `text`, readable only by its owner. If several processes create the file at
 * the same time, one succeeds, and all return its content. The file never holds only a part of the
 * text, even if a process is killed.
 * @returns the content of the file
 * @throws Error of the operating system
 */
export async function createOrRead(file: string, text: string): Promise<string> {
  const draft = await writeDraft(file, text, 0o600)
  try {
    if (await isCreatedFrom(draft, file, text)) {
      await removeOldDrafts(file)
      return text
    }
  } finally {
    await unlink(draft)
  }
  return await readStanding(file)
}

/**
 * Replaces a file in one step. The new file has the given mode.
 * @throws Error of the operating system
 */
export async function replaceFile(
  file: string,
  text: string,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = await writeDraft(file, text, mode)
  try {
    await rename(draft, file)
  } catch (error) {
    await unlink(draft)
    throw error
  }
  await removeOldDrafts(file)
}

const DRAFT = '.tmp'

/** The draft has an unpredictable name and must not exist, so that no symbolic link is followed. */
async function writeDraft(file: string, text: string, mode: number): Promise<string> {
  const draft = `${file}.${randomUUID()}${DRAFT}`
  await writeNew(draft, text, mode)
  return draft
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await unlink(file).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** Links the draft under the name of the file. Returns `false` when the file exists. */
async function isCreatedFrom(draft: string, file: string, text: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_LINKS.includes(codeOf(error) ?? '')) throw error
  }
  // Decision: on a file system without hard links the file is written directly, and readers wait
  // while it is empty.
  try {
    await writeNew(file, text, 0o600)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Errors of file systems without hard links: FAT, some network and container mounts. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK']

const MAX_LOOKS = 20
const BETWEEN_LOOKS_MS = 50

async function readStanding(file: string): Promise<string> {
  if ((await lstat(file)).isSymbolicLink())
    await stat(file).catch(() => Promise.reject(new Error(LINK_TO_NOTHING)))
  let text = await readFile(file, 'utf8')
  for (let looks = 1; text === '' && looks < MAX_LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS))
    text = await readFile(file, 'utf8')
  }
  return text
}

const LINK_TO_NOTHING =
  'it is a link to a file that does not exist; remove the link or make the file'

/** A draft exists for milliseconds. An older draft belongs to a killed process. */
const OLD_DRAFT_MS = 60_000

/** Removes drafts that killed processes have left. */
async function removeOldDrafts(file: string): Promise<void> {
  const now = (await stat(file)).mtimeMs
  const names = await readdir(dirname(file))
  const drafts = names.filter(
    (name) => name.startsWith(`${basename(file)}.`) && name.endsWith(DRAFT),
  )
  for (const draft of drafts.map((name) => join(dirname(file), name))) {
    const isOld = await lstat(draft).then(
      ({ mtimeMs }) => now - mtimeMs > OLD_DRAFT_MS,
      () => false,
    )
    if (isOld) await unlink(draft).catch(() => {})
  }
}
