import { afterAll } from 'vitest'
import {
  createChromiumAgent,
  launchChromium,
} from '../../src/audit/agent/chromium/chromium-agent.ts'
import { chromiumPath } from './tools.ts'

export async function shareChromiumAgent() {
  const agent = createChromiumAgent(await launchChromium({ chromePath: chromiumPath }))
  afterAll(() => agent.close())
  return agent
}
