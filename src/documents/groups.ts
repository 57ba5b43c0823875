/** A group of documents, with what each is about in a line. */
interface Group {
  readonly title: string
  readonly lines: Readonly<Record<string, string>>
  /** Further documents of the group: those whose names begin so. */
  readonly prefix?: string
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
      console: 'What the pages of the console show, and their keys.',
      'command-line': 'Every command of agekey-sandbox, with its output.',
    },
  },
  {
    title: 'Connect an app',
    lines: {
      'integration-express': 'A relying party with Express and jose, in one file.',
      'integration-nextjs': 'Route handlers of Next.js, with jose.',
      'integration-python': 'Flask with Authlib.',
      'integration-django': 'Django with PyJWT.',
      'integration-go': 'The standard library of Go with go-oidc.',
      'single-page-apps': 'A whole app without a server: fragment, state and nonce, CORS.',
      'integration-spring': 'Spring Boot with the decoder of Spring Security; not run by our tests.',
      'integration-dotnet': 'ASP.NET Core with Microsoft.IdentityModel; not run by our tests.',
      clients: 'Which OpenID Connect libraries work as they are, and the lines that each needs.',
      libraries: 'Which wrong answers each client library refuses by itself, and which it leaves to the app.',
    },
    prefix: 'integration-',
  },
  {
    title: 'Test',
    lines: {
      library: 'createSandbox and connectSandbox, with Vitest, Playwright and node:test.',
      driving: 'Who decides a flow, in which order; the clock; tenants.',
      'testing-pytest': 'A sandbox for a run of pytest, a tenant for each test.',
      'testing-go': 'The same with go test.',
      'testing-cypress': 'Commands for Cypress; not run by our tests.',
      personas: 'The test users, and how to write your own.',
      outcomes: 'Every ending that a flow or a call can be given, and what a correct client does about it.',
      readings: 'What the specification leaves open, and how to find out whether your app survives the other ways.',
      scenarios: 'What users do, step by step, in one YAML file.',
      recordings: 'A flow of the journal as a test, a scenario, a HAR or a shell script.',
      audit: 'Gives a running app every wrong answer and says which ones it lets in.',
      'audit-kit':
        'The same in a test suite: a test for each wrong answer, with Vitest, Playwright, node:test and Jest.',
      'audit-ci': 'The audit in GitHub Actions, GitLab CI and any other pipeline.',
      coverage: 'What your tests have not seen: answers, wrong answers and server calls that were never delivered.',
      'control-api': 'Every call that drives the sandbox over HTTP, with curl and its answer.',
      'test-ids': 'The data-testid attributes of the hosted pages.',
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
      addresses: 'Base URL, internal URL, https, proxies: one issuer for browsers and containers.',
      ci: 'Jobs of GitHub Actions, GitLab CI and others.',
      kubernetes: 'A deployment, a service, and the addresses that fit.',
      mobile: 'Emulators, devices on the network, custom schemes.',
      proxies: 'What a reverse proxy has to send.',
      replicas: 'Several processes on a shared Redis or Valkey act as one sandbox.',
    },
  },
  {
    title: 'Look up',
    lines: {
      rules: 'Every rule that a request is checked against, with its id.',
      security: 'What the sandbox promises never to do, and how to report a hole.',
    },
  },
  {
    title: 'The project',
    lines: {
      changelog: 'What users notice, version by version.',
      upgrades: 'What stays the same between versions.',
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

const PLACES = GROUPS.flatMap(({ title, lines, prefix }) => [
  ...Object.entries(lines).map(([name, line]) => ({ name, line, group: title })),
  ...(prefix === undefined ? [] : [{ prefix, group: title }]),
])

/** The place of a document; a document that no group has stands behind the others. */
export function placeOf(name: string): Place {
  const order = PLACES.findIndex((place) => ('name' in place ? place.name === name : name.startsWith(place.prefix)))
  const place = PLACES[order]
  if (place === undefined) return { order: PLACES.length, group: 'More' }
  return { order, group: place.group, ...('name' in place ? { line: place.line } : {}) }
}
