import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const step = z.looseObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
})
const workflow = z.object({
  jobs: z.record(
    z.string(),
    z.looseObject({ needs: z.union([z.string(), z.array(z.string())]).optional(), steps: z.array(step).default([]) }),
  ),
})

const { jobs } = workflow.parse(parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')))

/** A checkout of a version, with the scripts of the release and programs that only note how they are called. */
function checkout({ version, changelog = `## ${version}\n` }: { version: string; changelog?: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(ROOT, '.ci'), join(folder, '.ci'), { recursive: true })
  const repository = { type: 'git', url: 'git+https://github.com/Owner/Agekey-Sandbox.git' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'agekey-sandbox', version, repository }))
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  mkdirSync(join(folder, 'bin'))
  const calls = join(folder, 'calls')
  return {
    folder,
    /** `script` is what the program does, after it noted its arguments. */
    program(name: string, script: string) {
      const file = join(folder, 'bin', name)
      writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> '${calls}'\n${script}\n`)
      chmodSync(file, 0o755)
    },
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
    bash(script: string, env: Readonly<Record<string, string>> = {}) {
      const path = `${join(folder, 'bin')}:${process.env['PATH']}`
      const run = spawnSync('bash', ['-e', '-c', script], {
        cwd: folder,
        encoding: 'utf8',
        // With a pipe there, bash takes itself for a remote shell and reads the settings of the user.
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: path, GITHUB_REPOSITORY: 'Owner/Agekey-Sandbox', GITHUB_SHA: 'this-commit', ...env },
      })
      return { code: run.status, stdout: run.stdout, stderr: run.stderr }
    },
  }
}

describe('The names of a release', () => {
  test.each([
    ['v1.2.3', 'latest', '1.2.3 1.2'],
    ['v0.1.0', 'latest', '0.1.0 0.1'],
    ['v10.0.12', 'latest', '10.0.12 10.0'],
    ['v1.2.3-rc.1', 'next', '1.2.3-rc.1'],
    ['v2.0.0-0', 'next', '2.0.0-0'],
    ['v1.0.0-alpha-b.12', 'next', '1.0.0-alpha-b.12'],
  ])('%s: npm tag %s, image tags %s', (tag, distTag, imageTags) => {
    const version = tag.slice(1)
    const { bash } = checkout({ version, changelog: `## ${version.split('-')[0]}\n` })
    expect(bash(`.ci/release-names ${tag}`)).toEqual({
      code: 0,
      stderr: '',
      stdout: `version=${version}\ndist_tag=${distTag}\nimage=ghcr.io/owner/agekey-sandbox\nimage_tags=${imageTags}\n`,
    })
  })

  test.each([
    ['1.2.3', 'v1.2.4', '## 1.2.3\n', 'the tag is v1.2.4, and package.json says 1.2.3'],
    ['1.2.3', 'v1.2.3', '## 1.2.30\n', "CHANGELOG.md has no heading '## 1.2.3'"],
    ['1.2.3', 'v1.2.3', '## 1.2.3 (unreleased)\n', 'CHANGELOG.md still calls 1.2.3 unreleased'],
    ['1.2', 'v1.2', '## 1.2\n', 'the tag v1.2 is no version'],
    ['1.2.3+4', 'v1.2.3+4', '## 1.2.3+4\n', 'the tag v1.2.3+4 is no version'],
    ['1.2.3', '1.2.3', '## 1.2.3\n', 'the tag 1.2.3 is no version'],
  ])('of version %s and tag %s are refused beside a changelog of %j: %s', (version, tag, changelog, problem) => {
    const { bash } = checkout({ version, changelog })
    expect(bash(`.ci/release-names '${tag}'`)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`error: ${problem}`),
    })
  })
})

describe('The repository', () => {
  const manifest = z
    .object({ homepage: z.string(), bugs: z.string(), repository: z.object({ url: z.string() }) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')))
  const [, owner = '', name = ''] =
    /^git\+https:\/\/github\.com\/([^/]+)\/([^/]+)\.git$/.exec(manifest.repository.url) ?? []

  test('is the same in every file that names it', () => {
    const page = `https://github.com/${owner}/${name}`
    expect(manifest).toMatchObject({ homepage: `${page}#readme`, bugs: `${page}/issues` })
    const tracked = spawnSync(
      'git',
      ['grep', '-hoE', '(github\\.com/|ghcr\\.io/|uses: )[A-Za-z0-9-]+/agekey-sandbox', '--', ':!test'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    // Names of images are in lower case.
    const named = new Set(tracked.stdout.trim().toLowerCase().split('\n'))
    const repository = `${owner}/${name}`.toLowerCase()
    expect([...named].sort()).toEqual([`ghcr.io/${repository}`, `github.com/${repository}`, `uses: ${repository}`])
  })

  test('is set in all of them by one command, as often as it moves', () => {
    const { folder, bash } = checkout({ version: '1.2.3' })
    writeFileSync(
      join(folder, 'README.md'),
      'ghcr.io/Owner/Agekey-Sandbox:1 github.com/Owner/Agekey-Sandbox/issues uses: Owner/Agekey-Sandbox@v1',
    )
    expect(bash('git init -q && git add . && .ci/set-repository New-Home/sandbox')).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(
      'ghcr.io/new-home/sandbox:1 github.com/New-Home/sandbox/issues uses: New-Home/sandbox@v1',
    )
    expect(bash('.ci/set-repository third/place && cat README.md package.json').stdout).toMatch(
      /ghcr\.io\/third\/place:1 github\.com\/third\/place\/issues uses: third\/place@v1[\s\S]*git\+https:\/\/github\.com\/third\/place\.git/,
    )
  })

  test('is refused when it is none of GitHub', () => {
    const { bash } = checkout({ version: '1.2.3' })
    expect(bash('.ci/set-repository https://github.com/a/b')).toMatchObject({
      code: 1,
      stderr: "error: 'https://github.com/a/b' is no repository of GitHub; it should look like owner/agekey-sandbox\n",
    })
  })

  test('of the package is the one that is released from, or there is no release', () => {
    const { bash } = checkout({ version: '1.2.3' })
    expect(bash('.ci/release-names v1.2.3', { GITHUB_REPOSITORY: 'fork/agekey-sandbox' })).toMatchObject({
      code: 1,
      stderr:
        'error: package.json names the repository Owner/Agekey-Sandbox, and this is fork/agekey-sandbox; run .ci/set-repository fork/agekey-sandbox\n',
    })
  })
})

test('The notes of a release are its part of the changelog and the image by its digest', () => {
  const { bash } = checkout({
    version: '1.2.3',
    changelog: '# Changelog\n\n## 1.2.3\n\n- This.\n\n## 1.2.2\n\n- That.\n',
  })
  const { stdout } = bash('.ci/release-notes v1.2.3 ghcr.io/o/i@sha256:12')
  expect(stdout).toMatch(/^\n- This\.\n[\s\S]*\n```\nghcr\.io\/o\/i@sha256:12\n```\n/)
  expect(stdout).not.toContain('That')
})

describe('The package', () => {
  /** A registry whose newest version is `latest`, and that has this version from the commit `commit`. */
  const registry = ({ latest, commit }: { latest?: string; commit?: string }) => {
    const answer = (value: string | undefined) =>
      value === undefined ? 'echo "npm error code E404" >&2; exit 1' : `echo ${value}`
    return `echo "npm warn of something" >&2; case "$*" in
      "view agekey-sandbox dist-tags.latest") ${answer(latest)} ;;
      "view agekey-sandbox@"*) ${answer(commit)} ;;
      publish*) ;;
      *) exit 9 ;;
    esac`
  }
  const publish = (version: string, distTag: string, npm: string) => {
    const { program, bash, calls } = checkout({ version })
    program('npm', npm)
    return { ...bash(`.ci/publish-package ${distTag}`), published: calls().filter((call) => /^npm publish/.test(call)) }
  }

  test.each([
    ['1.2.3', 'latest', { latest: '1.2.2' }],
    ['1.0.0', 'latest', {}],
    ['1.3.0-rc.1', 'next', { latest: '1.2.3' }],
  ])('%s is published under the tag %s beside %j', (version, distTag, published) => {
    expect(publish(version, distTag, registry(published))).toMatchObject({
      code: 0,
      published: [`npm publish --provenance --access public --tag ${distTag}`],
    })
  })

  test('is not published a second time from the same commit, and that is no failure', () => {
    const again = publish('1.2.3', 'latest', registry({ latest: '1.2.3', commit: 'this-commit' }))
    expect(again).toMatchObject({ code: 0, published: [], stdout: expect.stringContaining('published already') })
  })

  test.each([
    [
      'the version is there from another commit',
      '1.2.3',
      'latest',
      registry({ latest: '1.2.3', commit: 'other' }),
      'from commit other',
    ],
    ['a pre-release would be the first version', '1.0.0-rc.1', 'next', registry({}), 'cannot be the first'],
    [
      'the registry cannot be asked',
      '1.2.3',
      'latest',
      'echo "npm error code ECONNREFUSED" >&2; exit 1',
      'ECONNREFUSED',
    ],
  ])('is refused when %s', (_reason, version, distTag, npm, problem) => {
    expect(publish(version, distTag, npm)).toMatchObject({
      code: 1,
      published: [],
      stderr: expect.stringContaining(problem),
    })
  })
})

describe('The release', () => {
  const all = Object.entries(jobs)
  /** What users can see afterwards: a version of the package, a tag of the image. */
  const isVisible = ({ run = '', with: inputs = {} }: z.infer<typeof step>) =>
    /npm publish|imagetools create|docker push/.test(run) ||
    /publish-package(?!.*--dry-run)/.test(run) ||
    'tags' in inputs ||
    (inputs['push'] === true && inputs['outputs'] === undefined)

  test('makes nothing visible but in its last job, which needs all the others', () => {
    const visible = all.filter(([, { steps }]) => steps.some(isVisible)).map(([name]) => name)
    expect(visible).toEqual(['publish'])
    const others = all.map(([name]) => name).filter((name) => name !== 'publish')
    expect(jobs['publish']?.needs).toEqual(others)
  })

  test('pushes the image by its digest alone before that', () => {
    const outputs = all.flatMap(([, { steps }]) => steps.flatMap((one) => one.with?.['outputs'] ?? []))
    expect(outputs).toEqual([expect.stringMatching(/push-by-digest=true,name-canonical=true,push=true$/)])
  })

  test('publishes the package before it names the image, and checks that both can be done before the first', () => {
    const steps = jobs['publish']?.steps ?? []
    const [check, publish, name] = ['--dry-run', /publish-package "\$DIST_TAG"$/, 'imagetools create'].map((text) =>
      steps.findIndex(({ run = '' }) => (typeof text === 'string' ? run.includes(text) : text.test(run.trim()))),
    )
    expect([check, publish, name].every((index) => index !== undefined && index >= 0)).toBe(true)
    expect([check, publish, name]).toEqual([check, publish, name].toSorted((a = 0, b = 0) => a - b))
  })

  test.each([
    ['1.2.3 1.2', ['1.2.3', '1.2']],
    ['1.2.3-rc.1', ['1.2.3-rc.1']],
  ])('names the image %s in one call, and again when that failed', (imageTags, tags) => {
    const { program, bash, calls } = checkout({ version: '1.2.3' })
    program('docker', 'test -f failed || { touch failed; exit 1; }')
    program('sleep', '')
    const run = jobs['publish']?.steps.find(({ name }) => name === 'Name the image')?.run ?? 'exit 9'
    expect(bash(run, { IMAGE: 'ghcr.io/o/i', IMAGE_TAGS: imageTags, DIGEST: 'sha256:1' }).code).toBe(0)
    const call = `docker buildx imagetools create ${tags.map((tag) => `--tag ghcr.io/o/i:${tag} `).join('')}ghcr.io/o/i@sha256:1`
    expect(calls()).toEqual([call, 'sleep 10', call])
  })
})
