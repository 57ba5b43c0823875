import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The installed command. */
export const SANDBOX = fileURLToPath(new URL('../dist/bin.js', import.meta.url))

/** Addresses as servers print them. */
const ADDRESS = /http:\/\/(?:localhost|127\.0\.0\.1|\[::1?\]):\d+/

/**
 * Starts a command that prints the address of its server, as soon as it has. `stop` ends it and
 * what it started.
 */
export async function startCommand(command, args, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk) => {
      output += chunk
      const found = ADDRESS.exec(output)
      if (found) resolve(found[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => reject(new Error(output)))
  })
  return {
    pid: child.pid,
    url: address.replace(/\[::1?\]/, 'localhost'),
    // npx runs the server as a child.
    stop: () => process.kill(-child.pid, 'SIGKILL'),
  }
}
