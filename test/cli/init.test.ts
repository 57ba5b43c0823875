import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderStarterFile } from '../../src/cli/init.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { DEFAULT_LIFETIMES } from '../../src/oidc/decisions.ts'

const STARTER_FILE = renderStarterFile()

/** Settings are commented out as `# key:`, without a space before the key inside a mapping; sentences begin with a capital or a word. */
const uncommented = STARTER_FILE.replace(/^( *)# ?( *(?:[a-z_]+|\/[a-z/]+): )/gm, '$1$2').replace(
  /^# (certifications:)$/m,
  '$1',
)

describe('The starter file', () => {
  test('is valid as it is', () => {
    expect(parseYamlDocument(STARTER_FILE, { file: 'starter', schema: configSchema })).toMatchObject({
      profile: 'spec',
    })
  })

  test('is valid with every setting uncommented, and shows every setting there is', () => {
    const text = uncommented.replace(/^spec: .*$/m, '')
    const values = parseYamlDocument(text, { file: 'starter', schema: configSchema })
    expect(Object.keys(values).sort()).toEqual(Object.keys(SETTINGS).sort())
  })

  test('shows the default lifetimes', () => {
    expect(parse(uncommented.replace(/^spec: .*$/m, '')).lifetimes).toEqual({
      request_uri: DEFAULT_LIFETIMES.requestUri,
      code: DEFAULT_LIFETIMES.code,
      id_token: DEFAULT_LIFETIMES.idToken,
      access_token: DEFAULT_LIFETIMES.accessToken,
    })
  })
})
