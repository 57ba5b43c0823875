import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { createClient, type HttpClient } from '../support/http-client.ts'
import { KEY_FILE } from '../support/keys.ts'

/**
 * One sandbox for the tests of a block, reset before each: starting one for every row of the catalogue would take
 * minutes. Keys that a row publishes stay.
 */
export function shareSandbox(options: SandboxOptions = {}): () => Sandbox & HttpClient {
  let shared: (Sandbox & HttpClient) | undefined
  const errors: unknown[] = []
  const sandbox = () => {
    if (!shared) throw new Error('the sandbox is there only while a test runs')
    return shared
  }
  beforeAll(async () => {
    const started = await createSandbox({ keys: KEY_FILE, ...options, onError: (error) => errors.push(error) })
    shared = { ...started, ...createClient(started.url) }
  })
  beforeEach(() => sandbox().reset())
  afterAll(async () => {
    await shared?.close()
    expect(errors).toEqual([])
  })
  return sandbox
}
