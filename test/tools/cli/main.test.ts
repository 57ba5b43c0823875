import { expect, test } from 'vitest'
import { readRoot } from '../../docs/page.ts'
import { folderWith } from '../../support/folder-with.ts'
import { buildCli } from './built-cli.ts'

const cli = await buildCli()

/** A Node that says of itself that it is another one. */
const pretending = (version: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
})

test.each(['14.21.3', '18.20.8', '20.9.0', '20.18.3'])(
  'Node %s is told which Node is needed',
  async (version) => {
    const { code, stderr } = await cli.run(['--version'], { env: pretending(version) })
    expect(stderr).toMatch(
      /^error: agekey-sandbox needs Node 20\.19 or later .*, and this is \S+ \(.*\); install .*\n$/,
    )
    expect(stderr).toContain(`this is ${version} `)
    expect(code).toBe(1)
  },
)

test.each(['20.19.0', '22.12.0', '24.0.0', '100.1.0'])(
  'Node %s runs the command',
  async (version) => {
    const { code, stderr } = await cli.run(['--version'], { env: pretending(version) })
    expect(stderr).toBe('')
    expect(code).toBe(0)
  },
)

test('The Node that is asked for is the one of package.json', async () => {
  const { stderr } = await cli.run(['--version'], { env: pretending('18.0.0') })
  const [, oldest] = /needs Node (\S+) or later/.exec(stderr) ?? []
  expect(JSON.parse(readRoot('package.json')).engines.node).toBe(`>=${oldest}`)
})

test.each(['--port 0', 'next --persona teen-16', 'doctor'])(
  'In a folder that is gone, "%s" says so',
  async (args) => {
    const cwd = folderWith()
    const { code, stderr } = await cli.run(args.split(' '), { cwd, before: 'rmdir "$PWD"' })
    expect(stderr).toBe(
      'error: the folder in which this was started is gone; change to another one, for example by cd\n',
    )
    expect(code).toBe(1)
  },
)
