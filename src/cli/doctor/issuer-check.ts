import { LOOPBACK_HOSTS } from '../../sandbox/addresses/web-address.ts'
import { type Diagnosis, inApp, inSandbox, ok, problem } from './diagnosis.ts'
import type { Discovery } from './discovery.ts'
import type { DoctorVisit } from './visit.ts'

/** Whether an app uses the issuer of the Create flow. */
const CREATE_ISSUER = /\/v1\/oidc\/create\/*$/

/** The issuer of the app must equal that of the discovery document (OpenID Connect Discovery 1.0 section 4.3). */
export function checkIssuer({ issuer }: DoctorVisit, { document }: Discovery): Diagnosis {
  const published = document.issuer
  if (CREATE_ISSUER.test(issuer)) return ofCreate(issuer, published)
  if (issuer === published) return ok('issuer', `${issuer}: the discovery document says the same`)
  if (!URL.canParse(withoutSlash(published))) {
    return problem('issuer', 'discovery_unreadable', {
      message: `the app has ${issuer}, the discovery document says ${JSON.stringify(published)}, which is no URL`,
      fix: [inApp('issuer: that of a sandbox; this discovery document is of another service')],
    })
  }
  const name = differenceOf(issuer, published)
  return problem('issuer', name, {
    message: `the app has ${issuer}, the sandbox says ${published}: ${DIFFERENCES[name]}`,
    fix: fixOf(name, { issuer, published }),
  })
}

/** Create has a discovery document and issues no id_token: an app with its issuer refuses every id_token. */
const ofCreate = (issuer: string, useIssuer: string) =>
  problem('issuer', 'issuer_of_create', {
    message: `the app has ${issuer}, the issuer of Create, which issues no id_token: each one says iss ${useIssuer}`,
    fix: [
      inApp(`issuer: ${useIssuer}`),
      `for Use and Upgrade: discovery and id_tokens of ${useIssuer}`,
      `for Create alone: pushed requests by the discovery document of ${withoutSlash(issuer)}, or the two addresses by hand`,
    ],
  })

const DIFFERENCES = {
  issuer_trailing_slash: 'only the slash at the end differs, and the comparison is exact',
  issuer_scheme: 'one is http, the other https',
  issuer_loopback_name: 'both are this machine, but issuers are compared as texts',
  issuer_port: 'the ports differ',
  issuer_path: 'the paths differ',
  issuer_host: 'the hosts differ',
  issuer_spelling: 'capitals or a port that goes without saying, and the comparison is exact',
} as const

type Difference = keyof typeof DIFFERENCES

function differenceOf(issuer: string, published: string): Difference {
  if (withoutSlash(issuer) === withoutSlash(published)) return 'issuer_trailing_slash'
  const [given, said] = [new URL(withoutSlash(issuer)), new URL(withoutSlash(published))]
  const areLoopback = [given, said].every(({ hostname }) => LOOPBACK_HOSTS.includes(hostname))
  if (given.hostname !== said.hostname)
    return areLoopback && given.port === said.port ? 'issuer_loopback_name' : 'issuer_host'
  if (given.protocol !== said.protocol) return 'issuer_scheme'
  if (given.port !== said.port) return 'issuer_port'
  return given.pathname === said.pathname ? 'issuer_spelling' : 'issuer_path'
}

function fixOf(name: Difference, { issuer, published }: { issuer: string; published: string }): string[] {
  const app = inApp(`issuer: ${published}`)
  const base = withoutSlash(issuer).replace(/\/v1\/oidc\/(?:use|create)$/, '')
  if (name === 'issuer_scheme' || name === 'issuer_port')
    return [app, 'or, when browsers use the address of the app:', ...inSandbox('base_url', base)]
  if (name !== 'issuer_host') return [app]
  return [
    `keep the address of browsers as the issuer; ${app}`,
    `and let the app's servers use the other one, by reading discovery from ${withoutSlash(issuer)}:`,
    ...inSandbox('internal_url', base),
    `then ask again: agekey-sandbox doctor --issuer ${published} --internal-url ${base}`,
    `or, when browsers can open ${base} too:`,
    ...inSandbox('base_url', base),
  ]
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')
