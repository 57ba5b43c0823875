/**
 * Tells the parent where the server listens, and whenever it asks the CPU time so far
 * (microseconds).
 */
export function serve(url) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system })
  })
  // Whoever measures may stop in the middle.
  process.on('disconnect', () => process.exit())
  process.send({ url })
}
