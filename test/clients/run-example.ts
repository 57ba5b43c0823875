import { execFile } from 'node:child_process'
import * as z from 'zod'
import type { Library } from './describe-library.ts'

/** How a program is run that holds a block of the page. */
export interface Program {
  readonly command: string
  readonly args?: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

const url = z.string()

/** A library in another language: each call is a run of a program, which reads it from its input and prints the result. */
export function runLibrary(program: Program): Library {
  const call = (name: string, values: object) => run(program, JSON.stringify({ name, values }))
  return {
    useUrl: async (request) => url.parse(await call('use_url', request)),
    readAnswer: ({ href }, sent) => call('read_answer', { url: href, ...sent }),
    createUrl: async (request) => url.parse(await call('create_url', request)),
    upgrade: (request) => call('upgrade', request),
  }
}

function run({ command, args = [], folder, env = {} }: Program, input: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } }
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr))
      else resolve(JSON.parse(stdout))
    })
    child.stdin?.end(input)
  })
}
