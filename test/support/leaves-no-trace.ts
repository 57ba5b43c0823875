import { afterAll, expect } from 'vitest'
import { processState } from './process-state.ts'

// The files of a project share a process: what one file leaves changed would influence the next.
const before = processState()
afterAll(() =>
  expect(processState(), 'this file leaves something changed in its process').toEqual(before),
)
