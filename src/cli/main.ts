#!/usr/bin/env node
import nodeModule from 'node:module'
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'
import { outliveClosedPipes } from './terminal.ts'

keepCompiledCode()
outliveClosedPipes()
const program = createProgram()
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = reportFailure(error, program)
}

/** From Node 22 on, what a command imports from here on is compiled once for all runs. */
function keepCompiledCode(): void {
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache()
  }
}
