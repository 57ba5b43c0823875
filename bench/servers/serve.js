/** Tells the parent where the server listens, and on request its CPU time (microseconds) and its memory (bytes). */
export function serve(url) {
  process.on('message', (question) => {
    if (question === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send({ cpu: user + system })
      return
    }
    globalThis.gc?.()
    process.send({ memory: process.memoryUsage().rss })
  })
  // Whoever measures may stop in the middle.
  process.on('disconnect', () => process.exit())
  process.send({ url })
}
