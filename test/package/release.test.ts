import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT, readRoot } from '../docs/page.ts'
import { folderWith } from '../support/folder-with.ts'

type Step = Readonly<{ name?: string; run?: string; with?: Readonly<Record<string, unknown>> }>

const { jobs }: { jobs: Record<string, { needs?: readonly string[]; steps?: readonly Step[] }> } =
  parse(readRoot('.github/workflows/release.yml'))

/**
 * A checkout of a version, with the scripts of the release and programs that only note how they are
 * called.
 */
function checkout({
  version,
  changelog = `## ${version}\n`,
}: {
  version: string
  changelog?: string
}) {
  const repository = { type: 'git', url: 'git+https://github.com/Owner/Agekey-Sandbox.git' }
  const manifest = { name: 'agekey-sandbox', version, repository }
  const folder = folderWith({ 'package.json': manifest, 'CHANGELOG.md': changelog })
  // Without the packages of .ci/checks, which are large.
  const filter = (path: string) => basename(path) !== 'node_modules'
  cpSync(join(ROOT, '.ci'), join(folder, '.ci'), { recursive: true, filter })
  mkdirSync(join(folder, 'bin'))
  const calls = join(folder, 'calls')
  return {
    folder,
    /** `script` is what the program does, after it noted its arguments. */
    program(name: string, script: string) {
      const text = `#!/bin/sh\necho "${name} $*" >> '${calls}'\n${script}\n`
      writeFileSync(join(folder, 'bin', name), text, { mode: 0o755 })
    },
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
    bash(script: string, env: Readonly<Record<string, string>> = {}) {
      const path = `${join(folder, 'bin')}:${process.env['PATH']}`
      const run = spawnSync('bash', ['-e', '-c', script], {
        cwd: folder,
        encoding: 'utf8',
        // With a pipe there, bash takes itself for a remote shell and reads the settings of the
        // user.
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: path,
          GITHUB_REPOSITORY: 'Owner/Agekey-Sandbox',
          GITHUB_SHA: 'this-commit',
          ...env,
        },
      })
      return { code: run.status, stdout: run.stdout, stderr: run.stderr }
    },
  }
}

test.each([
  ['v1.2.3', 'latest', '1.2.3 1.2'],
  ['v0.1.0', 'latest', '0.1.0 0.1'],
  ['v10.0.12', 'latest', '10.0.12 10.0'],
  ['v1.2.3-rc.1', 'next', '1.2.3-rc.1'],
  ['v2.0.0-0', 'next', '2.0.0-0'],
  ['v1.0.0-alpha-b.12', 'next', '1.0.0-alpha-b.12'],
])('The release %s has the npm tag %s and the image tags %s', (tag, distTag, imageTags) => {
  const version = tag.slice(1)
  const { bash } = checkout({ version, changelog: `## ${version.split('-')[0]}\n` })
  const stdout = `version=${version}\ndist_tag=${distTag}\nimage=ghcr.io/owner/agekey-sandbox\nimage_tags=${imageTags}\n`
  expect(bash(`.ci/release-names ${tag}`)).toEqual({ code: 0, stderr: '', stdout })
})

test.each([
  ['1.2.3', 'v1.2.4', '## 1.2.3\n', 'the tag is v1.2.4, and package.json says 1.2.3'],
  ['1.2.3', 'v1.2.3', '## 1.2.30\n', "CHANGELOG.md has no heading '## 1.2.3'"],
  ['1.2.3', 'v1.2.3', '## 1.2.3 (unreleased)\n', 'CHANGELOG.md still calls 1.2.3 unreleased'],
  ['1.2', 'v1.2', '## 1.2\n', 'the tag v1.2 is no version'],
  ['1.2.3+4', 'v1.2.3+4', '## 1.2.3+4\n', 'the tag v1.2.3+4 is no version'],
  ['1.2.3', '1.2.3', '## 1.2.3\n', 'the tag 1.2.3 is no version'],
])(
  'A release of version %s and tag %s is refused beside a changelog of %j: %s',
  (version, tag, changelog, problem) => {
    const stderr = expect.stringContaining(`error: ${problem}`)
    const released = checkout({ version, changelog }).bash(`.ci/release-names '${tag}'`)
    expect(released).toMatchObject({ code: 1, stdout: '', stderr })
  },
)

test('The repository is the same in every file that names it', () => {
  const { repository, homepage, bugs } = JSON.parse(readRoot('package.json'))
  const [, home = ''] = /^git\+https:\/\/github\.com\/(.+)\.git$/.exec(repository.url) ?? []
  const page = `https://github.com/${home}`
  expect({ homepage, bugs }).toEqual({ homepage: `${page}#readme`, bugs: `${page}/issues` })
  const pattern = '(github\\.com/|ghcr\\.io/|uses: )[A-Za-z0-9-]+/agekey-sandbox'
  const tracked = spawnSync('git', ['grep', '-hoE', pattern, '--', ':!test'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  // Names of images are in lower case.
  const named = new Set(tracked.stdout.trim().toLowerCase().split('\n'))
  expect([...named].sort()).toEqual(
    ['ghcr.io/', 'github.com/', 'uses: '].map((host) => host + home.toLowerCase()),
  )
})

test('The repository is set in all files by one command, as often as it moves', () => {
  const { folder, bash } = checkout({ version: '1.2.3' })
  const named = (image: string, home: string) =>
    `ghcr.io/${image}:1 github.com/${home}/issues uses: ${home}@v1`
  writeFileSync(join(folder, 'README.md'), named('Owner/Agekey-Sandbox', 'Owner/Agekey-Sandbox'))
  const moved =
    'git init -q && git add . && .ci/set-repository New-Home/sandbox && cat README.md 1>&2'
  expect(bash(moved)).toMatchObject({
    code: 0,
    stderr: named('new-home/sandbox', 'New-Home/sandbox'),
  })
  const { stdout } = bash('.ci/set-repository third/place && cat README.md package.json')
  expect(stdout).toContain(named('third/place', 'third/place'))
  expect(stdout).toContain('git+https://github.com/third/place.git')
})

const NO_HOME =
  "'https://github.com/a/b' is no repository of GitHub; it should look like owner/agekey-sandbox"
const NAMED = 'package.json names the repository Owner/Agekey-Sandbox'
const FORK = 'and this is fork/agekey-sandbox; run .ci/set-repository fork/agekey-sandbox'

test.each([
  ['is none of GitHub', '.ci/set-repository https://github.com/a/b', NO_HOME],
  ['is not released from', '.ci/release-names v1.2.3', `${NAMED}, ${FORK}`],
])('A repository that %s is refused', (_, script, problem) => {
  const { bash } = checkout({ version: '1.2.3' })
  const refused = { code: 1, stderr: `error: ${problem}\n` }
  expect(bash(script, { GITHUB_REPOSITORY: 'fork/agekey-sandbox' })).toMatchObject(refused)
})

test('The notes of a release are its part of the changelog and the image by its digest', () => {
  const changelog = '# Changelog\n\n## 1.2.3\n\n- This.\n\n## 1.2.2\n\n- That.\n'
  const { stdout } = checkout({ version: '1.2.3', changelog }).bash(
    '.ci/release-notes v1.2.3 ghcr.io/o/i@sha256:12',
  )
  expect(stdout).toMatch(/^\n- This\.\n[\s\S]*\n```\nghcr\.io\/o\/i@sha256:12\n```\n/)
  expect(stdout).not.toContain('That')
})

/**
 * A registry whose newest version is `latest`, and that has this version from the commit `commit`.
 */
const registry = ({ latest, commit }: { latest?: string; commit?: string }) => {
  const answer = (value?: string) =>
    value === undefined ? 'echo "npm error code E404" >&2; exit 1' : `echo ${value}`
  return `echo "npm warn of something" >&2; case "$*" in
    "view agekey-sandbox dist-tags.latest") ${answer(latest)} ;;
    "view agekey-sandbox@"*) ${answer(commit)} ;;
    publish*) ;;
    *) exit 9 ;;
  esac`
}

function publish(version: string, distTag: string, npm: string) {
  const { program, bash, calls } = checkout({ version })
  program('npm', npm)
  return {
    ...bash(`.ci/publish-package ${distTag}`),
    published: calls().filter((call) => /^npm publish/.test(call)),
  }
}

test.each([
  ['1.2.3', 'latest', { latest: '1.2.2' }],
  ['1.0.0', 'latest', {}],
  ['1.3.0-rc.1', 'next', { latest: '1.2.3' }],
])('The package %s is published under the tag %s beside %j', (version, distTag, published) => {
  const command = `npm publish --provenance --access public --tag ${distTag}`
  expect(publish(version, distTag, registry(published))).toMatchObject({
    code: 0,
    published: [command],
  })
})

test('The package is not published a second time from the same commit, and that is no failure', () => {
  const again = publish('1.2.3', 'latest', registry({ latest: '1.2.3', commit: 'this-commit' }))
  expect(again).toMatchObject({
    code: 0,
    published: [],
    stdout: expect.stringContaining('published already'),
  })
})

const AWAY = 'echo "npm error code ECONNREFUSED" >&2; exit 1'

test.each([
  [
    'it is there from another commit',
    '1.2.3',
    registry({ latest: '1.2.3', commit: 'other' }),
    'from commit other',
  ],
  ['a pre-release would be the first version', '1.0.0-rc.1', registry({}), 'cannot be the first'],
  ['the registry cannot be asked', '1.2.3', AWAY, 'ECONNREFUSED'],
])('The package is refused when %s', (_reason, version, npm, problem) => {
  const refused = { code: 1, published: [], stderr: expect.stringContaining(problem) }
  expect(publish(version, version.includes('-') ? 'next' : 'latest', npm)).toMatchObject(refused)
})

const all = Object.entries(jobs)
/** What users can see afterwards: a version of the package, a tag of the image. */
const isVisible = ({ run = '', with: inputs = {} }: Step) =>
  /npm publish|imagetools create|docker push/.test(run) ||
  /publish-package(?!.*--dry-run)/.test(run) ||
  'tags' in inputs ||
  (inputs['push'] === true && inputs['outputs'] === undefined)

test('The release makes nothing visible but in its last job, which needs all the others: before that an image by its digest', () => {
  expect(all.filter(([, { steps = [] }]) => steps.some(isVisible)).map(([name]) => name)).toEqual([
    'publish',
  ])
  expect([...(jobs['publish']?.needs ?? []), 'publish']).toEqual(all.map(([name]) => name))
  const outputs = all.flatMap(([, { steps = [] }]) =>
    steps.flatMap((one) => one.with?.['outputs'] ?? []),
  )
  expect(outputs).toEqual([
    expect.stringMatching(/push-by-digest=true,name-canonical=true,push=true$/),
  ])
})

test('The release publishes the package before it names the image, and checks that both can be done before the first', () => {
  const scripts = (jobs['publish']?.steps ?? []).map(({ run = '' }) => run.trim())
  const order = [/--dry-run/, /publish-package "\$DIST_TAG"$/, /imagetools create/].map((what) =>
    scripts.findIndex((run) => what.test(run)),
  )
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test.each(['1.2.3 1.2', '1.2.3-rc.1'])(
  'The release names the image %s in one call, again when that failed',
  (tags) => {
    const { program, bash, calls } = checkout({ version: '1.2.3' })
    program('docker', 'test -f failed || { touch failed; exit 1; }')
    program('sleep', '')
    const run =
      jobs['publish']?.steps?.find(({ name }) => name === 'Name the image')?.run ?? 'exit 9'
    expect(bash(run, { IMAGE: 'ghcr.io/o/i', IMAGE_TAGS: tags, DIGEST: 'sha256:1' }).code).toBe(0)
    const named = tags.split(' ').map((tag) => `--tag ghcr.io/o/i:${tag}`)
    const call = `docker buildx imagetools create ${named.join(' ')} ghcr.io/o/i@sha256:1`
    expect(calls()).toEqual([call, 'sleep 10', call])
  },
)
