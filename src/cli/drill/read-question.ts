import { quote } from '../../age/quote.ts'
import { isPrivateAddress } from '../../audit/agent/private-address.ts'
import type { AppRequest } from '../../audit/drill/ask-app.ts'
import { ownEnvironment } from '../../config/load-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { pageProblem, pathProblem, subProblem } from '../audit/file/file-schema.ts'
import { AUDIT_FILE, type AuditFile } from '../audit/file/read-audit-file.ts'

/** The flags that say how the app is asked. */
export interface QuestionFlags {
  readonly get?: string
  readonly header?: readonly string[]
  readonly thisAppIsMine?: true
}

/**
 * The request that asks the app; flags go before the file.
 * @param app the address of the app; its path is of no account
 * @throws ConfigError with one line for what is missing or wrong
 */
export function readQuestion(
  app: string | undefined,
  { get, header: headers = [], thisAppIsMine }: QuestionFlags,
  file: AuditFile | undefined,
): AppRequest {
  const { values = {}, lineOf } = file ?? {}
  const question = get === undefined ? values.audit : { get: checkedPath(get) }
  if (question === undefined) throw ConfigError.of(NO_QUESTION)
  const origin = originOf(app ?? values.app, {
    place: app === undefined ? placeOf('app') : '',
    isOwnApp: thisAppIsMine === true,
  })
  const inFile = Object.entries(values.audit?.headers ?? {}).map(([name, value]) =>
    readHeader(name, value, `${placeOf('audit')}headers`),
  )
  const form = question.form && Object.entries(question.form).map(([name, value]) => [name, String(value)])
  return {
    method: question.get === undefined ? 'POST' : 'GET',
    url: `${origin}${question.get ?? question.post}`,
    ...(form && { form: Object.fromEntries(form) }),
    json: question.json,
    // The names are in lower case, so that a flag takes the place of the same header in the file.
    headers: Object.fromEntries([...inFile, ...headers.map(readHeaderFlag)]),
  }

  function placeOf(key: 'app' | 'audit'): string {
    return `${AUDIT_FILE}:${lineOf?.(key) ?? 1}: ${key}: `
  }
}

const NO_QUESTION = `the question is missing: say how your app is asked for a verification, as in --get "/admin/verifications?sub={sub}", or as audit in ${AUDIT_FILE}`
const NO_APP = `the address of the app is missing: give it, as in agekey-sandbox drill http://localhost:3000, or as app in ${AUDIT_FILE}`

function checkedPath(path: string): string {
  const problem = pathProblem(path) ?? subProblem(path)
  if (problem !== undefined) throw ConfigError.of(`--get: ${problem}`)
  return path
}

function originOf(app: string | undefined, { place, isOwnApp }: { place: string; isOwnApp: boolean }): string {
  if (app === undefined) throw ConfigError.of(NO_APP)
  const problem = pageProblem(app)
  if (problem !== undefined) throw ConfigError.of(`${place}${problem}`)
  if (app.includes('{port}'))
    throw ConfigError.of(`${place}${app} has a free port of each audit; start your app and give its address`)
  if (!isOwnApp && !isPrivateAddress(app))
    throw ConfigError.of(
      `${place}${app} is beyond this machine and its private network; give --this-app-is-mine when it is yours`,
    )
  return new URL(app).origin
}

type Header = readonly [name: string, value: string]

function readHeaderFlag(text: string): Header {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(\S.*)$/.exec(text) ?? []
  // What came may hold a secret.
  if (name === undefined || value === undefined)
    throw ConfigError.of(
      '--header: what came is not a name, a colon and a value, as in "Authorization: Bearer {env:ADMIN_TOKEN}"',
    )
  return readHeader(name, value, '--header')
}

/** A header with the variables of the environment filled in. No message shows a value. */
function readHeader(name: string, value: string, place: string): Header {
  const filled = value.replaceAll(/\{env:([^}]*)\}/g, (_, variable: string) => {
    const text = ownEnvironment()[variable]
    if (!text)
      throw ConfigError.of(
        `${place}: ${name} needs the variable ${quote(variable)} of the environment, which is not set`,
      )
    return text
  })
  try {
    new Headers([[name, filled]])
  } catch (cause) {
    throw ConfigError.of(`${place}: ${quote(name)} is no header, or its value has characters that HTTP does not take`, {
      cause,
    })
  }
  return [name.toLowerCase(), filled]
}
