import { readFileSync } from 'node:fs'
import { packageRoot } from '../../package-root.ts'
import { documentFiles } from './files.ts'
import { type Section, sectionsOf } from './markdown.ts'

/** A document of the package. */
export interface PackageDocument {
  /** The last part of its URL: `audit`. */
  readonly name: string
  /** The path below the root of the package: `docs/audit.md`. */
  readonly file: string
  readonly title: string
  /** The subject in one sentence. */
  readonly line: string
  readonly group: string
  readonly markdown: string
  /** The sections; the first one is the title. */
  readonly sections: readonly Section[]
}

/** The documents by purpose, in the order of the index, each with its subject in one line. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: {
    readme: 'What it is, how to start it, five minutes with an app, in tests and in CI.',
    'first-steps': 'Use, Create and Upgrade by hand, with curl.',
    troubleshooting: 'By symptom: the message that you see, why it comes, and how to mend it.',
    configuration: 'Every flag, environment variable and key of the config file.',
    console:
      'What the pages show, their keys, and recordings: a flow as a test, a scenario, a HAR or a shell script.',
    'command-line': 'Every command of agekey-sandbox, with its output.',
  },
  'Connect an app': {
    integrations: 'Which example app to take, and what every app must check.',
    libraries:
      'Which OpenID Connect libraries work as they are, the lines that each needs, and which wrong answers each refuses.',
  },
  Test: {
    library:
      'createSandbox and connectSandbox, with Vitest, Playwright and node:test, and the test ids of the pages.',
    driving:
      'Who decides a flow, in which order; the clock; tenants; scenarios, which say in YAML what users do.',
    testing: 'Whole suites for pytest, go test and Cypress, and the calls for any other language.',
    personas: 'The test users, and how to write your own.',
    outcomes:
      'Every ending that a flow or a call can be given, what a correct client does about it, and the readings of what is open.',
    audit:
      'Gives a running app every wrong answer and says which ones it lets in; also as tests of your suite.',
    coverage:
      'What your tests have not seen: answers, endings and wrong answers that were never delivered.',
    'control-api': 'Every call that drives the sandbox over HTTP, with curl and its answer.',
  },
  'Coding agents': {
    agents: 'The MCP endpoint, llms.txt and the skill: how an agent reads and drives the sandbox.',
    skill: 'What an agent is told: start it, point an app at it, a test for each outcome.',
  },
  'Run it elsewhere': {
    addresses:
      'Containers, https, reverse proxies, NO_PROXY, Kubernetes, replicas: one issuer for browsers and servers.',
    ci: 'Jobs of GitHub Actions, GitLab CI and others, for your tests and for the audit.',
    mobile: 'Emulators, devices on the network, custom schemes.',
    windows: 'PowerShell and JSON, files in UTF-16, reserved ports, ::1, WSL, Git Bash.',
  },
  'Look up': {
    rules: 'Every rule that a request is checked against, with its id.',
    security: 'What the sandbox promises never to do, and how to report a hole.',
    changelog: 'What users notice, version by version, and what an upgrade may change.',
  },
}

let found: readonly PackageDocument[] | undefined

/** All documents of the running version, group by group. */
export function findDocuments(): readonly PackageDocument[] {
  found ??= Object.entries(GROUPS).flatMap(readGroup)
  return found
}

/** The document with this name, such as `audit`; `undefined` when it does not exist. */
export const findDocument = (name: string): PackageDocument | undefined =>
  findDocuments().find((document) => document.name === name)

function readGroup([group, lines]: readonly [
  string,
  Readonly<Record<string, string>>,
]): readonly PackageDocument[] {
  const files = documentFiles()
  return Object.entries(lines).flatMap(([name, line]) => {
    const file = files.get(name)
    if (file === undefined) return []
    const markdown = readFileSync(new URL(file, packageRoot), 'utf8')
    const sections = sectionsOf(markdown)
    return { name, file, title: sections[0]?.heading ?? name, line, group, markdown, sections }
  })
}
