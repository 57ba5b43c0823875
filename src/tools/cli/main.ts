#!/usr/bin/env node
// No static imports: an older Node may fail to load a module, before this file can check its
// version.

/** `engines` of the package. */
const OLDEST_NODE = '20.19'

// The bundle needs `process.getBuiltinModule`, which Node 21 and Node 22.0 to 22.2 do not have.
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

/** Whether a version is older than another one. Only major and minor version count. */
function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

/** Caches the compiled code of all later imports on disk, for the next runs (Node 22 and later). */
function keepCompiledCode(): void {
  const nodeModule = process.getBuiltinModule('node:module')
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache()
  }
}
