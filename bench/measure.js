import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * Measures contenders in turn, `rounds` times each after `warmUp` rounds that do not count, so that
 * whatever else the machine does meets all of them. Resolves to the median of each, by name.
 */
export async function interleave(rounds, contenders, { warmUp = 1 } = {}) {
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const result = await measure()
      if (round >= warmUp) results[name].push(result)
    }
  }
  return Object.fromEntries(
    Object.entries(results).map(([name, numbers]) => [name, median(numbers)]),
  )
}

/** A server of `servers/` in a process of its own. */
export async function startServer(name) {
  const child = fork(fileURLToPath(new URL(`servers/${name}.js`, import.meta.url)))
  const ask = (question) =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`${name} ended with ${code}`))
      child.once('exit', ended)
      child.once('message', (answer) => {
        child.off('exit', ended)
        resolve(answer)
      })
      if (question !== undefined) child.send(question)
    })
  const { url } = await ask()
  return {
    url,
    /**
     * CPU seconds of the server, all threads, that `act` takes: what one core would need, whatever
     * else runs.
     */
    async cpuSeconds(act) {
      const before = (await ask('cpu')).cpu
      await act()
      return ((await ask('cpu')).cpu - before) / 1e6
    },
    stop: () => child.kill('SIGKILL'),
  }
}
