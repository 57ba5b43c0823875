import { stat } from 'node:fs/promises'
import { tlsKeyFileIn } from '../tls/certificate.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** A file or folder with private keys, and the mode that it should have. */
interface PrivateFile {
  readonly path: string
  readonly mode: number
}

/** What the sandbox keeps private keys in. */
export function privateFiles(
  keyFile: string | undefined,
  { stateDir }: Pick<SandboxOptions, 'stateDir'>,
): readonly PrivateFile[] {
  const inState =
    stateDir === undefined
      ? []
      : [
          { path: stateDir, mode: 0o700 },
          { path: tlsKeyFileIn(stateDir), mode: 0o600 },
        ]
  return keyFile === undefined ? inState : [...inState, { path: keyFile, mode: 0o600 }]
}

/** A warning for each that other users may open, with the command that mends it. One that is not there causes none. */
export async function wideModeWarnings(files: readonly PrivateFile[]): Promise<string[]> {
  // Windows has no such modes.
  if (process.platform === 'win32') return []
  const warnings = await Promise.all(files.map(warningOf))
  return warnings.flat()
}

async function warningOf({ path, mode }: PrivateFile): Promise<readonly string[]> {
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
