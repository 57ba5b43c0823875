import { CERTIFICATE_CODES, CERTIFICATE_PROBLEMS } from '../../client/sandbox-error.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { LOOPBACK_HOSTS } from '../../sandbox/addresses/web-address.ts'
import { type CheckName, inApp, inSandbox, type Problem, problem, trustLines } from './diagnosis.ts'
import { call, type DoctorVisit } from './visit.ts'

/** Why a call got no answer, by its error. */
export async function connectionProblem(
  check: CheckName,
  url: string,
  error: unknown,
  visit: DoctorVisit,
): Promise<Problem> {
  const { host, hostname, port, protocol } = new URL(url)
  const code = codeOf(error)
  const byTls = tlsProblem(url, error)
  if (byTls) return byTls
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return problem(check, 'name_not_found', {
      message: `${hostname}: no address is known for this name here`,
      fix: [
        `compose.yaml: give the service of the sandbox the name ${hostname}, on the network of the app`,
        inApp(
          `use the name by which this machine knows the sandbox; on the same machine: ${url.replace(hostname, 'localhost')}`,
        ),
      ],
    })
  }
  if (code === 'ECONNREFUSED') {
    return problem(check, 'connection_refused', {
      message: `${host}: nothing listens there`,
      fix: refusedFix({ hostname, port }),
    })
  }
  if (code === 'ETIMEDOUT' || (error instanceof Error && error.name === 'TimeoutError')) {
    return problem(check, 'timeout', {
      message: `${host}: no answer within ${visit.timeoutMs / 1000} seconds`,
      fix: [
        `firewall or network policy: let ${host} through`,
        `compose.yaml: put the app and the sandbox on one network; a published port is for the host, not for containers`,
      ],
    })
  }
  if (/^(?:EPROTO|ERR_SSL_)/.test(code ?? '')) {
    return problem(check, 'http_expected', {
      message: `${host} speaks http, and was asked by https`,
      fix: [inApp(`issuer: ${swapScheme(visit.issuer)}`), ...inSandbox('https', 'true')],
    })
  }
  if (protocol === 'http:' && (await speaksTls(url, visit))) {
    return problem(check, 'https_expected', {
      message: `${host} speaks https, and was asked by http`,
      fix: [inApp(`issuer: ${swapScheme(visit.issuer)}`), ...inSandbox('https', 'false')],
    })
  }
  return problem(check, 'connection_failed', {
    message: `${host}: the connection failed (${messageOf(error)})`,
    fix: [`look at the log of the sandbox, and at what stands between it and this machine`],
  })
}

function refusedFix({ hostname, port }: { hostname: string; port: string }): string[] {
  if (!LOOPBACK_HOSTS.includes(hostname)) {
    return ['by default the sandbox listens only on its own machine:', ...inSandbox('host', '0.0.0.0')]
  }
  const internal = `http://agekey-sandbox:${port || '2435'}`
  return [
    'when it is not running: npx agekey-sandbox',
    `in a container, ${hostname} is that container itself: let the app read discovery by the name of the service, and keep the issuer:`,
    ...inSandbox('internal_url', internal),
    `then ask again: agekey-sandbox doctor --internal-url ${internal} ...`,
  ]
}

/** Whether a server that hung up on http answers by https, trusted or not. */
async function speaksTls(url: string, visit: DoctorVisit): Promise<boolean> {
  const secure = swapScheme(url)
  try {
    await call(secure, visit)
    return true
  } catch (error) {
    return tlsProblem(secure, error) !== undefined
  }
}

const swapScheme = (url: string) =>
  url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:')

/** Why the certificate of a server was refused; `undefined` for any other error. */
function tlsProblem(url: string, error: unknown): Problem | undefined {
  const name = CERTIFICATE_CODES[codeOf(error) ?? '']
  if (name === undefined) return undefined
  const { host, hostname, origin } = new URL(url)
  const message = `${host}: ${CERTIFICATE_PROBLEMS[name]}`
  switch (name) {
    case 'tls_self_signed':
      return problem('tls', name, {
        message,
        fix: [
          'the sandbox prints the file of its certificate at the start: tls-certificate.pem in its state folder',
          ...trustLines('/path/to/tls-certificate.pem'),
        ],
      })
    case 'tls_expired':
      return problem('tls', name, {
        message,
        fix: [
          'restart the sandbox: it renews a certificate that it made itself; the app must then read the file again',
          ...inSandbox('https_cert', './a-newer-certificate.pem'),
        ],
      })
    case 'tls_not_yet_valid':
      return problem('tls', name, {
        message,
        fix: ['set the clock of this machine: timedatectl set-ntp true'],
      })
    case 'tls_wrong_name':
      return problem('tls', name, {
        message: `${message}${namesIn(error)}`,
        fix: [
          `a certificate of the sandbox's own making names the hosts of base_url and internal_url:`,
          ...inSandbox('internal_url', origin),
          `or give it a certificate for ${hostname}: --https-cert FILE --https-key FILE`,
        ],
      })
    case 'tls_unknown_authority':
      return problem('tls', name, {
        message,
        fix: [
          "take the certificate of that authority, for example mkcert's rootCA.pem",
          ...trustLines('/path/to/rootCA.pem'),
        ],
      })
  }
}

/** Node attaches the certificate that it refused for its names. */
function namesIn(error: unknown): string {
  const shown: unknown = error instanceof Error && 'cert' in error ? error.cert : undefined
  const names: unknown =
    typeof shown === 'object' && shown !== null && 'subjectaltname' in shown ? shown.subjectaltname : undefined
  return typeof names === 'string' ? `: ${names}` : ''
}
