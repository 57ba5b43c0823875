import { generateKeys, keyFileIn, readKeyFile } from '../sandbox/keys/key-file.ts'
import { type KeySource, keysOf, keysSoon } from '../sandbox/keys/key-ring.ts'
import type { SigningKeys } from '../sandbox/keys/signing-keys.ts'
import type { Stores } from '../store/stores.ts'
import { privateFiles, wideModeWarnings } from './private-files.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** The first requests after a start need no signature. The delay keeps the making of a key from slowing them down. */
const KEYS_AFTER_MS = 100

/**
 * Reads the signing keys that the options name, or that the replicas of a store agree on.
 * @returns a function to call once the server listens: it begins to make the keys that do not exist yet, which takes longer
 * than everything else at the start
 * @throws ConfigError for a damaged key file, or a state folder that cannot be written
 */
export async function settleKeys(stores: Stores, options: SandboxOptions): Promise<() => KeySource> {
  const keyFile = options.keys ?? (options.stateDir === undefined ? undefined : keyFileIn(options.stateDir))
  for (const warning of await wideModeWarnings(privateFiles(keyFile, options))) options.onWarning?.(warning)
  const stored = keyFile === undefined ? undefined : await readKeyFile(keyFile)
  const make = async () => stored ?? generateKeys(keyFile, options.onWarning)
  const agreed = await stores.agreeOnKeys?.(make)
  if (agreed) warnOfOtherKeys(agreed, stored, options)
  const known = agreed ?? stored
  return () =>
    known ? keysOf(Promise.resolve(known)) : keysSoon(() => make().catch(reportAndThrow(options)), KEYS_AFTER_MS)
}

/** Warns when `keys` names a file whose keys do not sign. The keys of a state folder may differ without a warning. */
function warnOfOtherKeys(agreed: SigningKeys, own: SigningKeys | undefined, { keys, onWarning }: SandboxOptions): void {
  if (keys === undefined || own === undefined || own.RS256.kid === agreed.RS256.kid) return
  onWarning?.(
    'keys: the store holds the signing keys of its first replica; they sign, and the ones of this replica do not',
  )
}

const reportAndThrow =
  ({ onError }: SandboxOptions) =>
  (error: unknown) => {
    onError?.(error)
    throw error
  }
