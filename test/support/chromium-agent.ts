import { afterAll, beforeAll } from 'vitest'
import type { Agent } from '../../src/audit/agent/browser.ts'
import { createChromiumAgent } from '../../src/audit/agent/chromium/chromium-agent.ts'
import { launchChromium } from '../../src/audit/agent/chromium/launch.ts'
import { chromiumPath } from './tools.ts'

/** One Chromium for the tests of a block. */
export function shareChromiumAgent(): () => Agent {
  let shared: Agent | undefined
  beforeAll(async () => {
    shared = createChromiumAgent(await launchChromium({ chromePath: chromiumPath }))
  }, 60_000)
  afterAll(async () => {
    await shared?.close()
  })
  return () => {
    if (!shared) throw new Error('Chromium is there only while a test runs')
    return shared
  }
}
