// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config file has such references
import { expect, test } from 'vitest'
import { loadEnvironment, loadFile, problemOf } from './settings-in.ts'

const remark = (name: string) =>
  `${name} begins and ends with quotation marks, which are part of it: docker --env-file keeps them; leave them out`

test.each([
  ['CONTROL_TOKEN', '"a-token"'],
  ['CONTROL_TOKEN', "'a-token'"],
  ['PERSONA', '"teen-16"'],
  ['STATE_DIR', '"./state"'],
  ['KEYS', "''"],
])('AGEKEY_SANDBOX_%s=%s is taken as it is, with a warning', async (name, value) => {
  const { warnings } = await loadEnvironment({
    [`AGEKEY_SANDBOX_${name}`]: value,
    AGEKEY_SANDBOX_STATE_DIR: value,
  })
  expect(warnings).toContain(remark(`AGEKEY_SANDBOX_${name}`))
})

test.each(['a-token', '"a-token', 'a"b"', '"', '"a\'', 'a'])(
  'The control token %s is no text in quotation marks',
  async (token) => {
    const { warnings } = await loadEnvironment({
      AGEKEY_SANDBOX_CONTROL_TOKEN: token,
      AGEKEY_SANDBOX_STATE_DIR: 'none',
    })
    expect(warnings).toEqual([])
  },
)

test('A warning about quotation marks does not repeat the token', async () => {
  const { warnings } = await loadEnvironment({ AGEKEY_SANDBOX_CONTROL_TOKEN: '"hunter2"' })
  expect(warnings.join()).not.toContain('hunter2')
})

test.each([
  ['BASE_URL', '"http://localhost:1"'],
  ['PORT', '"2435"'],
  ['HTTPS', "'true'"],
  ['REDIRECT_URIS', '"https://a.example/,https://b.example/"'],
  ['STORE', '"redis://redis"'],
  ['CLIENTS', "'[]'"],
])(
  'The error for AGEKEY_SANDBOX_%s=%s says that the quotation marks are part of the value',
  async (name, value) => {
    expect(await problemOf(loadEnvironment({ [`AGEKEY_SANDBOX_${name}`]: value }))).toMatch(
      new RegExp(`; ${remark(`AGEKEY_SANDBOX_${name}`)}$`),
    )
  },
)

test('A variable in quotation marks that the config file names is taken as it is, with one warning', async () => {
  const text = 'control_token: ${TOKEN}\npersona: ${TOKEN}'
  const { sandbox, warnings } = await loadFile(`${text}\nstate_dir: none`, { TOKEN: '"a"' })
  expect(sandbox.controlToken).toBe('"a"')
  expect(warnings).toEqual([remark('TOKEN')])
})
