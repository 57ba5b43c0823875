import { stat } from 'node:fs/promises'
import { generateKeys, keyFileIn, readKeyFile } from '../../sandbox/keys/key-file.ts'
import { type KeySource, keysOf, keysSoon } from '../../sandbox/keys/key-ring.ts'
import type { Stores } from '../store/stores.ts'
import { tlsKeyFileIn } from '../tls/certificate.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/**
 * Milliseconds before keys are generated, so that the generation does not slow down the first
 * requests, which need no signature.
 */
const KEYS_AFTER_MS = 100

/**
 * Reads the signing keys: from the key file of the options, or from the store that replicas share.
 * @returns a function to call when the server listens; it starts to generate missing keys
 * @throws ConfigError for a damaged key file, or a state folder that cannot be written
 */
export async function settleKeys(
  stores: Stores,
  options: SandboxOptions,
): Promise<() => KeySource> {
  const keyFile =
    options.keys ?? (options.stateDir === undefined ? undefined : keyFileIn(options.stateDir))
  for (const warning of await wideModeWarnings(keyFile, options.stateDir))
    options.onWarning?.(warning)
  const stored = keyFile === undefined ? undefined : await readKeyFile(keyFile)
  const make = async () => stored ?? generateKeys(keyFile, options.onWarning)
  const agreed = await stores.agreeOnKeys?.(make)
  const first = await agreed?.()
  // No warning for keys in a state folder, because the user did not choose them.
  if (first && stored && options.keys !== undefined && stored.RS256.kid !== first.RS256.kid) {
    options.onWarning?.(
      'keys: the store holds the signing keys of its first replica; they sign, and the ones of this replica do not',
    )
  }
  const known = agreed ?? (stored && keysOf(Promise.resolve(stored)))
  const makeOrReport = () =>
    make().catch((error: unknown) => {
      options.onError?.(error)
      throw error
    })
  return () => known ?? keysSoon(makeOrReport, KEYS_AFTER_MS)
}

/**
 * Returns a warning for each file or folder with private keys that other users can open. Missing
 * files get no warning.
 */
export async function wideModeWarnings(
  keyFile: string | undefined,
  stateDir: string | undefined,
): Promise<string[]> {
  // Windows has no POSIX file modes.
  if (process.platform === 'win32') return []
  const warnings = await Promise.all([
    ...(stateDir === undefined
      ? []
      : [warningOf(stateDir, 0o700), warningOf(tlsKeyFileIn(stateDir), 0o600)]),
    ...(keyFile === undefined ? [] : [warningOf(keyFile, 0o600)]),
  ])
  return warnings.flat()
}

async function warningOf(path: string, mode: number): Promise<readonly string[]> {
  const found = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0,
  )
  if ((found & 0o077) === 0) return []
  return [
    `${path}: it holds private keys, and its mode ${octal(found)} opens it to other users: run chmod ${octal(mode)} ${path}`,
  ]
}

const octal = (mode: number) => mode.toString(8).padStart(3, '0')
