import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { codeOf } from './caught.ts'

/** Files of the largest part that are not loaded before; they are read at the same time. */
export const FILES_OF_A_PART = 24

/**
 * Loads a part on first use, and again on the next use when that failed.
 * @param load imports the part and returns what is kept
 * @returns a function that returns what was loaded
 * @throws Error `EMFILE` or `ENFILE` while no files can be opened
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

/** Checks that enough files can be opened. Node 20 never retries an import that failed once. */
async function requireFreeDescriptors(): Promise<void> {
  const opened: number[] = []
  try {
    while (opened.length < FILES_OF_A_PART) opened.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/**
 * Whether a file could not be opened because the process, or the machine, has too many open files.
 */
export const isOutOfDescriptors = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')
