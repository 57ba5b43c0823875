import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { codeOf } from './caught.ts'

/** No part has more files that others have not loaded before; they are read at the same time. */
export const FILES_OF_A_PART = 24

/**
 * A part that is loaded with its first use, and tried again with the next one when that failed.
 * @param load imports it, and makes of it what is kept
 * @returns a function that gives what was loaded. @throws Error `EMFILE` or `ENFILE` while the files cannot be opened
 */
export function onDemand<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return () => {
    loading ??= attempt(load).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

async function attempt<Part>(load: () => Promise<Part>): Promise<Part> {
  requireFreeDescriptors()
  return await load()
}

/** Node 20 keeps an import that failed as failed for ever, so that none is begun which will fail. */
function requireFreeDescriptors(): void {
  const opened: number[] = []
  try {
    while (opened.length < FILES_OF_A_PART) opened.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** Whether a file could not be opened because the process, or the machine, has too many open ones. */
export const isOutOfDescriptors = (error: unknown): boolean => ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')
