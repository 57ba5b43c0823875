import { afterAll, expect } from 'vitest'
import { processState } from './process-state.ts'

// The files of a project share a process: what one of them leaves changed would decide what the next one sees.
const before = processState()
afterAll(() => expect(processState(), 'this file leaves something changed in its process').toEqual(before))
