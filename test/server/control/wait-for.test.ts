import { expect, test } from 'vitest'
import { waitFor } from '../../../src/server/control/wait-for.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'

function start() {
  const journal = createMemoryJournal()
  let isThere = false
  const wait = () =>
    waitFor(journal, {
      tenant: 'default',
      seconds: 60,
      signal: new AbortController().signal,
      isNews: () => true,
      look: async () => (isThere ? 'found' : undefined),
    })
  const end = () => {
    isThere = true
    journal.announce({ type: 'reset', tenant: 'default', data: {} })
  }
  return { wait, end }
}

test('A thousand calls wait at a time', async () => {
  const { wait, end } = start()
  const waiting = Array.from({ length: 1_000 }, wait)
  await expect(wait()).rejects.toMatchObject({
    status: 503,
    code: 'temporarily_unavailable',
    headers: { 'Retry-After': '1' },
    message:
      'wait: 1000 calls wait already, which is all that may; ask again later, or without wait',
  })
  const other = start()
  other.end()
  expect(await other.wait()).toBe('found')
  end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['found']))
  const next = start()
  const again = next.wait()
  next.end()
  expect(await again).toBe('found')
})
