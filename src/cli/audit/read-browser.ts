import { unknownName } from '../../age/nearest.ts'
import { ConfigError } from '../../files/config-error.ts'

/** The agents: `auto` chooses between the other two. */
const BROWSERS = ['auto', 'http', 'chromium'] as const

/** Which browser drives the app. */
export interface BrowserChoice {
  readonly kind: (typeof BROWSERS)[number]
  /** A browser that runs already. */
  readonly cdpUrl: string | undefined
  /** Shows its window. */
  readonly isHeaded: boolean
}

export interface BrowserFlags {
  readonly browser?: string
  readonly cdp?: string
  readonly headed?: true
}

/**
 * Checks the flags of the browser. Decision: `--cdp` and `--headed` choose Chromium without `--browser`.
 * @throws ConfigError with one line
 */
export function readBrowser({ browser, cdp, headed }: BrowserFlags): BrowserChoice {
  const named = BROWSERS.find((known) => known === browser)
  if (browser !== undefined && named === undefined)
    throw ConfigError.of(`--browser: ${unknownName('browser', browser, BROWSERS)}`)
  const [forChromium] = [...(cdp === undefined ? [] : ['--cdp']), ...(headed ? ['--headed'] : [])]
  if (named === 'http' && forChromium !== undefined)
    throw ConfigError.of(`${forChromium} is for Chromium, and --browser http runs none; leave one of them out`)
  if (cdp !== undefined && !(/^(?:https?|wss?):\/\//i.test(cdp) && URL.canParse(cdp)))
    throw ConfigError.of(`--cdp: ${JSON.stringify(cdp)} is not a URL like http://localhost:9222`)
  if (cdp !== undefined && headed)
    throw ConfigError.of(
      '--headed is for a browser that the audit starts, and --cdp names one that runs; leave one of them out',
    )
  return { kind: forChromium === undefined ? (named ?? 'auto') : 'chromium', cdpUrl: cdp, isHeaded: headed ?? false }
}
