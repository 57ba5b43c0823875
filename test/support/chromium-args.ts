/**
 * Replaces the list of playwright-core: the popups of the address bar take half of the time of a
 * window.
 */
const LEAN_WINDOWS = `--disable-features=${[
  ...[
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'AimEnabled',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'HttpsUpgrades',
  ],
  ...[
    'HttpsFirstBalancedModeAutoEnable',
    'LocalNetworkAccessChecks',
    'MediaRouter',
    'NetworkTimeServiceQuerying',
  ],
  ...['OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
]}`

/** Chromium of the tests makes no calls of its own accord. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  LEAN_WINDOWS,
]
