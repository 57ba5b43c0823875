/** A group of documents, with what each is about in a line. */
interface Group {
  readonly title: string
  readonly lines: Readonly<Record<string, string>>
}

/** Documents by what they are for, in the order of the index. */
const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    lines: {
      readme: 'What it is, how to start it, five minutes with an app, in tests and in CI.',
      'first-steps': 'Use, Create and Upgrade by hand, with curl.',
      troubleshooting: 'By symptom: the message that you see, why it comes, and how to mend it.',
      configuration: 'Every flag, environment variable and key of the config file.',
      console:
        'What the pages show, their keys, and recordings: a flow as a test, a scenario, a HAR or a shell script.',
      'command-line': 'Every command of agekey-sandbox, with its output.',
    },
  },
  {
    title: 'Connect an app',
    lines: {
      integrations: 'Which example app to take, and what every app must check.',
      libraries:
        'Which OpenID Connect libraries work as they are, the lines that each needs, and which wrong answers each refuses.',
    },
  },
  {
    title: 'Test',
    lines: {
      library:
        'createSandbox and connectSandbox, with Vitest, Playwright and node:test, and the test ids of the pages.',
      driving: 'Who decides a flow, in which order; the clock; tenants; scenarios, which say in YAML what users do.',
      testing: 'Whole suites for pytest, go test and Cypress, and the calls for any other language.',
      personas: 'The test users, and how to write your own.',
      outcomes:
        'Every ending that a flow or a call can be given, what a correct client does about it, and the readings of what is open.',
      audit: 'Gives a running app every wrong answer and says which ones it lets in; also as tests of your suite.',
      coverage: 'What your tests have not seen: answers, wrong answers and server calls that were never delivered.',
      'control-api': 'Every call that drives the sandbox over HTTP, with curl and its answer.',
    },
  },
  {
    title: 'Coding agents',
    lines: {
      agents: 'The MCP endpoint, llms.txt and the skill: how an agent reads and drives the sandbox.',
      skill: 'What an agent is told: start it, point an app at it, a test for each outcome.',
    },
  },
  {
    title: 'Run it elsewhere',
    lines: {
      addresses:
        'Containers, https, reverse proxies, NO_PROXY, Kubernetes, replicas: one issuer for browsers and servers.',
      ci: 'Jobs of GitHub Actions, GitLab CI and others, for your tests and for the audit.',
      mobile: 'Emulators, devices on the network, custom schemes.',
    },
  },
  {
    title: 'Look up',
    lines: {
      rules: 'Every rule that a request is checked against, with its id.',
      security: 'What the sandbox promises never to do, and how to report a hole.',
      changelog: 'What users notice, version by version, and what an upgrade may change.',
    },
  },
]

/** Where a document stands in the index. */
interface Place {
  readonly order: number
  readonly group: string
  /** What it is about; absent for a document that no group names. */
  readonly line?: string
}

const PLACES = GROUPS.flatMap(({ title, lines }) =>
  Object.entries(lines).map(([name, line]) => ({ name, line, group: title })),
)

/** The place of a document; a document that no group has stands behind the others. */
export function placeOf(name: string): Place {
  const order = PLACES.findIndex((place) => place.name === name)
  const place = PLACES[order]
  return place === undefined ? { order: PLACES.length, group: 'More' } : { order, group: place.group, line: place.line }
}
