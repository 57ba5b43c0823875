import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'

/** What the run has once: `test/support/run.setup.ts` makes it for the first test that asks. */
async function ofRun(name: string): Promise<string> {
  const response = await fetch(`${inject('runUrl')}/${name}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

/** The folder of the built package of this run. No test writes there. */
export const packageOfRun = (): Promise<string> => ofRun('package')

/** The address of an empty database of the Redis of this run. Each call gives another database. */
export const emptyRedisDatabase = (): Promise<string> => ofRun('redis')

/**
 * How Playwright comes to the Chromium of this run; closing a connection closes its own pages
 * alone.
 */
export const chromiumOfRun = async () => ({ wsEndpoint: await ofRun('chromium') })

export const connectChromium = async (): Promise<Browser> =>
  chromium.connect((await chromiumOfRun()).wsEndpoint)
