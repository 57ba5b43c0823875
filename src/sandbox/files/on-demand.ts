import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { codeOf } from './caught.ts'

/** Maximum number of files that the import of one part reads at the same time. */
export const FILES_OF_A_PART = 24

/**
 * Loads a part on first use. After a failure the next use tries again.
 * @param load imports the part, and returns the value to keep
 * @returns a function that returns the kept value; it throws `EMFILE` or `ENFILE` while too many
 * files are open
 */
export function onDemand<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return () => {
    loading ??= requireFreeDescriptors()
      .then(load)
      .catch((error: unknown) => {
        loading = undefined
        throw error
      })
    return loading
  }
}

/**
 * Checks that enough files can be opened before an import: Node 20 never retries a failed import.
 */
async function requireFreeDescriptors(): Promise<void> {
  const opened: number[] = []
  try {
    while (opened.length < FILES_OF_A_PART) opened.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** Whether an error says that the process or the machine has too many open files. */
export const isOutOfDescriptors = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')
