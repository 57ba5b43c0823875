import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readRoot } from './page.ts'

const { services, volumes } = parse(readRoot('compose.yaml'))
const sandbox = services['agekey-sandbox']
const dockerfile = readRoot('Dockerfile')
const stateFolder: string = sandbox.environment.AGEKEY_SANDBOX_STATE_DIR

test('compose.yaml keeps the state of the sandbox on a named volume', () => {
  const [name, path] = sandbox.volumes[0].split(':')
  expect(path).toBe(stateFolder)
  expect(Object.keys(volumes)).toContain(name)
})

test('The state folder of compose.yaml belongs to the user of the image, since a new volume takes its owner', () => {
  const [, user] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? []
  const [, owner] =
    new RegExp(`^RUN install --directory --owner=(\\d+) .* ${stateFolder}$`, 'm').exec(
      dockerfile,
    ) ?? []
  expect(owner).toBe(user)
})

test('The state folder of compose.yaml is for its owner alone, so that the start does not warn of it', () => {
  expect(dockerfile).toMatch(new RegExp(`^RUN install .* --mode=700 ${stateFolder}$`, 'm'))
})

test('compose.yaml writes nowhere but to its volumes', () => {
  expect(sandbox.read_only).toBe(true)
  expect(sandbox.volumes).toHaveLength(1)
})
