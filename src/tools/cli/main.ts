#!/usr/bin/env node
// No import stands here: a module that an older Node cannot load would end the process before its
// version is looked at.

/** `engines` of the package. */
const OLDEST_NODE = '20.19'

// The bundle takes modules of Node by this function, which Node 21 and the first of Node 22 lack.
if (isOlder(process.versions.node, OLDEST_NODE) || !('getBuiltinModule' in process)) {
  process.stderr.write(
    `error: agekey-sandbox needs Node ${OLDEST_NODE} or later (of Node 22, 22.3 or later), and this is ${process.versions.node} (${process.execPath}); install a newer one from https://nodejs.org\n`,
  )
  process.exitCode = 1
} else {
  keepCompiledCode()
  const { runProgram } = await import('./program.ts')
  await runProgram()
}

/** Compares major and minor version. */
function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** From Node 22 on, what is imported from here on is compiled once for all runs. */
function keepCompiledCode(): void {
  const nodeModule = process.getBuiltinModule('node:module')
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache()
  }
}
