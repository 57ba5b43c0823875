import { messageOf } from '../../files/caught.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import type { AppProgram } from '../drive/audited-app.ts'
import type { Bench } from './bench.ts'
import type { TriedFlow } from './tried-flow.ts'
import { type TriedReadings, tryReadings, type Usual } from './try-readings.ts'

/** A copy of the app, which tries one set of readings after the other. */
export interface Worker {
  readonly bench: Bench
  /** Absent when the audit did not start the app. */
  readonly program?: AppProgram | undefined
  /** It does not get through its flows any more. */
  isLost: boolean
  wasRestarted: boolean
}

export const workerOf = (bench: Bench, program?: AppProgram | undefined): Worker => ({
  bench,
  program,
  isLost: false,
  wasRestarted: false,
})

/** Hands items to the workers, one at a time to each, until none is left, all are lost, or the audit ends. */
export async function shareAmong<Item>(
  workers: readonly Worker[],
  items: readonly Item[],
  { signal, act }: { signal: AbortSignal; act(item: Item, worker: Worker): Promise<void> },
): Promise<void> {
  const left = items.values()
  const work = async (worker: Worker) => {
    while (!worker.isLost && !signal.aborted) {
      const { value, done } = left.next()
      if (done) return
      await act(value, worker)
    }
  }
  await Promise.all(workers.map(work))
}

/** Tries readings by a worker. An app that is lost afterwards is started again once, when the audit has started it. */
export async function tryBy(
  worker: Worker,
  readings: Readings,
  { flows, usual }: { flows: readonly TriedFlow[]; usual: Usual },
): Promise<TriedReadings> {
  const { bench, program } = worker
  const tried = await tryReadings(readings, flows, { bench, usual })
  if (tried.kind !== 'undetermined' || tried.lostBy === undefined) return tried
  worker.isLost = true
  if (!program || worker.wasRestarted) return tried
  worker.wasRestarted = true
  try {
    await program.restart()
  } catch (error) {
    return { ...tried, reason: `${tried.reason}; it did not start again: ${messageOf(error)}` }
  }
  const control = await tryReadings({}, flows.slice(0, 1), { bench, usual })
  if (control.kind !== 'works') return tried
  worker.isLost = false
  const { runs, documents } = tried
  return { runs, documents, kind: 'fails', evidence: `${tried.lostBy}; it worked again when it was started again` }
}
