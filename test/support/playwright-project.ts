import { makeProject, PLAYWRIGHT } from './project.ts'

/** A project with Playwright and the built package. Outside the repository: Playwright compiles no TypeScript below `node_modules`. */
export async function makePlaywrightProject(files: Readonly<Record<string, string>>) {
  const project = await makeProject(...PLAYWRIGHT)
  project.write(files)
  return {
    folder: project.folder,
    /** Runs its tests. @returns what the reporter `json` writes, also when some fail */
    async run(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<unknown> {
      const program = ['node_modules/@playwright/test/cli.js', 'test', ...args]
      return JSON.parse((await project.run(process.execPath, program, variables)).stdout)
    },
    remove: () => {},
  }
}
