import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { GOCODE } from './tools.ts'

/**
 * Creates the module `example.com/shop` in a folder, with go-oidc beside it: Debian's 2.1 has
 * everything that the pages use of v3.
 */
export function makeGoModule(folder: string) {
  cpSync(
    join(GOCODE, 'github.com/coreos/go-oidc'),
    join(folder, 'src/github.com/coreos/go-oidc/v3/oidc'),
    {
      recursive: true,
      filter: (path) => !path.endsWith('_test.go'),
    },
  )
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: `${folder}:${dirname(GOCODE)}`,
    GOFLAGS: '',
  }
  return {
    write(files: Readonly<Record<string, string>>) {
      for (const [name, code] of Object.entries(files)) {
        const file = join(folder, 'src/example.com/shop', name)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, code)
      }
    },
    /** The files that `gofmt` would change. */
    gofmt: async () =>
      (await promisify(execFile)('gofmt', ['-l', join(folder, 'src/example.com')])).stdout,
    /** Runs `go`. @throws Error with the output on failure */
    go: async (...args: readonly string[]) =>
      (await promisify(execFile)('go', args, { cwd: folder, env })).stdout,
  }
}
