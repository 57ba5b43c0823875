#!/usr/bin/env node
import nodeModule from 'node:module'

keepCompiledCode()
const { runProgram } = await import('./program.ts')
await runProgram()

/** From Node 22 on, what is imported from here on is compiled once for all runs. */
function keepCompiledCode(): void {
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache()
  }
}
