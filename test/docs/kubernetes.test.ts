import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { configSchema } from '../../src/config/config-schema.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { startSandbox } from '../support/sandbox.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const page = readPage('kubernetes.md')
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
})
const port = z.object({ name: z.string(), containerPort: z.number() })
const probes = { startupProbe: probe, readinessProbe: probe, livenessProbe: probe }
const pod = z.object({ containers: z.tuple([z.object({ ports: z.tuple([port]), ...probes })]) })
const deployment = z.object({ spec: z.object({ template: z.object({ spec: pod }) }) })

const manifests = parseAllDocuments(blockWith(codeBlocks(page, 'yaml'), '# agekey-sandbox.yaml')).map((document) =>
  manifest.parse(document.toJS()),
)
const find = (kind: string) => manifest.parse(manifests.find((one) => one.kind === kind))

test('The manifests of kubernetes.md are a Secret, a ConfigMap, a Deployment and a Service of one name', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(['Secret', 'ConfigMap', 'Deployment', 'Service'])
  expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(new Set(['agekey-sandbox']))
})

test('The config in the ConfigMap of kubernetes.md can be read', () => {
  const [file, ...more] = Object.entries(find('ConfigMap').data ?? {})
  expect([file?.[0], more]).toEqual(['agekey-sandbox.yaml', []])
  expect(parseYamlDocument(file?.[1] ?? '', { file: 'kubernetes.md', schema: configSchema })).toBeDefined()
})

test('The probes of kubernetes.md ask for what a sandbox with a control token answers without it, under the address of a pod', async () => {
  const sandbox = await startSandbox({ baseUrl: 'https://age.preview.example', controlToken: 'not-a-real-token' })
  const statusUnder = async (path: string) => (await sandbox.request.get(path).set('Host', '10.1.2.3:2435')).status
  const [container] = deployment.parse(find('Deployment')).spec.template.spec.containers
  for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
    expect(httpGet.port).toBe(container.ports[0].name)
    expect(await statusUnder(httpGet.path)).toBe(200)
  }
  expect(await statusUnder('/_sandbox/clock')).toBe(401)
})
