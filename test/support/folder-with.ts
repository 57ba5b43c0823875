import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Creates a folder with these files, of text, bytes or JSON.
 * @param end registers its removal: `afterAll` for a whole test file
 */
export function folderWith(
  files: Readonly<Record<string, unknown>> = {},
  end: (remove: () => void) => void = onTestFinished,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-folder-'))
  end(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    const isWritten = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(join(folder, name), isWritten ? content : JSON.stringify(content))
  }
  return folder
}
