import { randomUUID } from 'node:crypto'
import { link, lstat, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from './caught.ts'

/**
 * Creates a file with `text`, readable by its owner only, and returns its content. If several
 * processes race, one wins and all return its content. The file holds the whole text or does not
 * exist, even if a process is killed.
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
 * Replaces a file in one step, with the mode of the new one.
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

/** The draft has an unpredictable name and must not exist, so that no link is followed. */
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

/** Renames the draft, unless a file of that name exists. */
async function isCreatedFrom(draft: string, file: string, text: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_LINKS.includes(codeOf(error) ?? '')) throw error
  }
  // Decision: without hard links the file itself is written, and readers wait while it is empty.
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

/** Drafts live for milliseconds. An older draft belongs to a killed process. */
const OLD_DRAFT_MS = 60_000

/** Removes drafts that earlier writers of the file have left. */
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
