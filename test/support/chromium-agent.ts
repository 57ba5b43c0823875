import { afterAll } from 'vitest'
import { createChromiumAgent } from '../../src/audit/agent/chromium/chromium-agent.ts'
import { launchChromium } from '../../src/audit/agent/chromium/launch-chromium.ts'
import { chromiumPath } from './tools.ts'

export async function shareChromiumAgent() {
  const agent = createChromiumAgent(await launchChromium({ chromePath: chromiumPath }))
  afterAll(() => agent.close())
  return agent
}
