import { execFileSync } from 'node:child_process'
import { get } from 'node:http'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { configSchema } from '../../src/config/config-schema.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
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
const deployment = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({
            ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
            env: z.array(z.object({ name: z.string() })),
            startupProbe: probe,
            readinessProbe: probe,
            livenessProbe: probe,
          }),
        ]),
      }),
    }),
  }),
})

const manifests = parseAllDocuments(blockWith(codeBlocks(page, 'yaml'), '# agekey-sandbox.yaml')).map((document) =>
  manifest.parse(document.toJS()),
)
const find = (kind: string) => manifest.parse(manifests.find((one) => one.kind === kind))
const hasKubectl = run('version', '--client').ok

test('the manifests of kubernetes.md are a Secret, a ConfigMap, a Deployment and a Service of one name', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(['Secret', 'ConfigMap', 'Deployment', 'Service'])
  expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(new Set(['agekey-sandbox']))
})

test('the config in the ConfigMap can be read, and the variable of the token is a setting', () => {
  const [file, ...more] = Object.entries(find('ConfigMap').data ?? {})
  expect([file?.[0], more]).toEqual(['agekey-sandbox.yaml', []])
  expect(parseYamlDocument(file?.[1] ?? '', { file: 'kubernetes.md', schema: configSchema })).toBeDefined()
  const [{ env }] = deployment.parse(find('Deployment')).spec.template.spec.containers
  expect(env.filter(({ name }) => !FLAGS.some(({ variable }) => variable === name))).toEqual([])
})

test('the probes ask for what a sandbox with a control token answers without it, under the address of a pod', async () => {
  const sandbox = await startSandbox({ baseUrl: 'https://age.preview.example', controlToken: 'not-a-real-token' })
  const [container] = deployment.parse(find('Deployment')).spec.template.spec.containers
  for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
    expect(httpGet.port).toBe(container.ports[0].name)
    expect(await statusUnder('10.1.2.3:2435', sandbox.url + httpGet.path)).toBe(200)
  }
  expect(await statusUnder('10.1.2.3:2435', `${sandbox.url}/_sandbox/clock`)).toBe(401)
})

// What kubectl does not know is missing from what it prints: it decodes these two kinds by their types.
test.skipIf(!hasKubectl).each([
  ['Deployment', ['set', 'env', 'AGEKEY_SANDBOX_LOG=json']],
  ['Service', ['set', 'selector', 'app=agekey-sandbox']],
])('kubectl knows every field of the %s', (kind, [verb = '', what = '', change = '']) => {
  const wanted = find(kind)
  const printed = run(verb, what, '--local', '--output', 'json', '--filename', '-', change, JSON.stringify(wanted))
  expect(missingFrom(JSON.parse(printed.text), wanted)).toEqual([])
  const misspelt = { ...wanted, spec: { ...z.looseObject({}).parse(wanted['spec']), replica: 1 } }
  const other = run(verb, what, '--local', '--output', 'json', '--filename', '-', change, JSON.stringify(misspelt))
  expect(missingFrom(JSON.parse(other.text), misspelt)).toEqual(['spec.replica'])
})

/** Runs kubectl; the last argument of a call with `-` is what it reads. */
function run(...args: readonly string[]): { readonly ok: boolean; readonly text: string } {
  const input = args.includes('-') ? args.at(-1) : undefined
  try {
    const given = input === undefined ? args : args.slice(0, -1)
    return { ok: true, text: execFileSync('kubectl', given, { input, encoding: 'utf8', stdio: 'pipe' }) }
  } catch (cause) {
    return { ok: false, text: String(cause) }
  }
}

/** Paths of `wanted` that `given` does not have. */
function missingFrom(given: unknown, wanted: unknown, path = ''): string[] {
  if (typeof wanted !== 'object' || wanted === null) return []
  return Object.entries(wanted).flatMap(([name, member]) => {
    const inside = path === '' ? name : `${path}.${name}`
    const found: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined
    return found === undefined ? [inside] : missingFrom(found, member, inside)
  })
}

const statusUnder = (host: string, url: string) =>
  new Promise((resolve, reject) => {
    get(url, { headers: { Host: host } }, (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
