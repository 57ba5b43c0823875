import type { HttpAnswer } from '../../client/exchange.ts'
import { addressesOf, checkAddress, checkKeySet, checkKeySetAddress } from './addresses-check.ts'
import { checkClient, checkRedirect } from './client-check.ts'
import { type Diagnosis, inApp, ok, problem, skipped } from './diagnosis.ts'
import { readDiscovery, useIssuerNear } from './discovery.ts'
import { checkIssuer } from './issuer-check.ts'
import type { DoctorVisit } from './visit.ts'

/** Examines a sandbox from the place of the app. Checks that a problem makes impossible are left out. Never throws for what it finds. */
export async function examine(visit: DoctorVisit): Promise<readonly Diagnosis[]> {
  if (!ISSUER.test(visit.issuer) || !URL.canParse(visit.issuer)) return [malformed(visit.issuer)]
  const [surplus = ''] = SURPLUS.exec(visit.issuer) ?? []
  if (surplus !== '') return [await tooLong(visit, visit.issuer.slice(0, -surplus.length))]
  const use = await readDiscovery(visit, 'use')
  if ('problem' in use) return [use]
  const create = await readDiscovery(visit, 'create')
  const reached = ok('reachable', `${use.foundAt}: answers`)
  if ('problem' in create) return [reached, checkIssuer(visit, use), create]

  const addresses = await Promise.all(
    addressesOf(use, create).map(([name, url]) => checkAddress(name, url, { visit, foundAt: use.foundAt })),
  )
  const [keySetAddress, , parAddress] = addresses
  const { jwks_uri: jwksUri } = use.document
  const { pushed_authorization_request_endpoint: parUrl } = create.document
  return [
    reached,
    checkIssuer(visit, use),
    checkClock(use.answer, visit.now()),
    ...addresses,
    keySetAddress?.status === 'ok' && jwksUri !== undefined
      ? (checkKeySetAddress(jwksUri, use.document.token_endpoint) ?? (await checkKeySet(jwksUri, visit)))
      : skipped('key_set', 'jwks_uri cannot be reached'),
    parAddress?.status === 'ok' ? await checkClient(parUrl, visit) : skipped('client', 'its address cannot be reached'),
    await checkRedirect(use.foundAt, visit),
  ]
}

/** URL parsers drop or encode blanks and control characters; comparisons of issuers do not. */
const ISSUER = /^https?:\/\/[^/?#\s\p{Cc}][^\s\p{Cc}]*$/iu

const malformed = (issuer: string) =>
  problem('issuer', 'issuer_malformed', {
    message: `${JSON.stringify(issuer)} ${/[\s\p{Cc}]/u.test(issuer) ? 'holds a blank or a control character, as no issuer does' : 'is no http or https URL'}`,
    fix: [inApp('issuer: http://localhost:2435/v1/oidc/use')],
  })

/** What people copy along with an issuer: the path of its discovery document, a query, a fragment. */
const SURPLUS = /(?:\/+\.well-known\/openid-configuration\/*)?(?:[?#].*)?$/

/** The part before the surplus may be no issuer either: then the sandbox tells the right one. */
const tooLong = async (visit: DoctorVisit, rest: string) =>
  problem('issuer', 'issuer_malformed', {
    message: `${visit.issuer}: an issuer ends before ${visit.issuer.slice(rest.length)}`,
    fix: [inApp(`issuer: ${(await useIssuerNear({ ...visit, issuer: rest })) ?? rest}`)],
  })

/** A token is valid for ten minutes, and many libraries allow no clock difference; a Date header has whole seconds. */
const MAX_DIFFERENCE_SECONDS = 30

/** Compares the clock of the sandbox's machine (its `Date` header) with `now`, in epoch milliseconds. */
function checkClock({ headers }: HttpAnswer, now: number): Diagnosis {
  const theirs = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(theirs)) return skipped('clock', 'the answer has no Date header')
  const seconds = Math.round((theirs - now) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS) return ok('clock', `${Math.abs(seconds)} s apart`)
  return problem('clock', 'clock_difference', {
    message: `the clock of the sandbox is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine's; tokens would seem ${seconds > 0 ? 'issued in the future' : 'older than they are'}`,
    fix: [
      'on both machines: timedatectl set-ntp true',
      'with Docker Desktop: restart it, its clock stands still while the computer sleeps',
    ],
  })
}
