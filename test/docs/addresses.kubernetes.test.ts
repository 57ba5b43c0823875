import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseYamlDocument } from '../../src/sandbox/files/yaml-document.ts'
import { configSchema } from '../../src/server/config/settings.ts'
import { startSandbox } from '../support/sandbox.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const manifests = parseAllDocuments(
  blockWith(codeBlocks(readPage('addresses.md'), 'yaml'), '# kubernetes.yaml'),
)
const [, configMap, deployment] = manifests.map((document) => document.toJS())

test('The manifests of addresses.md are four documents of one name', () => {
  const kinds = ['Secret', 'ConfigMap', 'Deployment', 'Service']
  const named = kinds.map((kind) => ({ kind, metadata: { name: 'agekey-sandbox' } }))
  expect(manifests.map((document) => document.toJS())).toMatchObject(named)
})

test('The ConfigMap of addresses.md holds a config file that can be read', () => {
  expect(configMap.data).toEqual({ 'agekey-sandbox.yaml': expect.any(String) })
  const config = configMap.data['agekey-sandbox.yaml']
  expect(parseYamlDocument(config, { file: 'addresses.md', schema: configSchema })).toBeDefined()
})

test('The probes of addresses.md ask for what a sandbox with a control token answers without it, under the address of a pod', async () => {
  const sandbox = await startSandbox({
    baseUrl: 'https://age.preview.example',
    controlToken: 'not-a-real-token',
  })
  const statusUnder = async (path: string) =>
    (await sandbox.request.get(path).set('Host', '10.1.2.3:2435')).status
  const [{ ports, ...container }] = deployment.spec.template.spec.containers
  for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const { httpGet } = container[name]
    expect(httpGet.port).toEqual(ports[0].name)
    expect(await statusUnder(httpGet.path)).toBe(200)
  }
  expect(await statusUnder('/_sandbox/clock')).toBe(401)
})
