import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { isOutOfDescriptors } from '../../sandbox/files/on-demand.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Handler } from '../http/handler.ts'
import { type Html, html } from '../http/html/html.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}

/**
 * An SVG document can contain scripts. When it is opened by its URL, this policy blocks scripts and
 * requests.
 */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The relying party as hosted pages show it. */
export interface ClientBadge {
  readonly name: string
  /** The path of the client's logo. When absent the page shows the initial of the name. */
  readonly logoPath?: string
}

/** The badge of a client, without a logo if its file is missing. */
export async function clientBadge(
  { clients, basePath }: Tenant,
  clientId: string,
): Promise<ClientBadge> {
  const client = clients.find(clientId)
  const name = client?.name ?? clientId
  const changedAt = client?.logo === undefined ? undefined : await changeTimeOf(client.logo)
  if (changedAt === undefined) return { name }
  // The modification time in the URL makes browsers load a changed logo despite their cache.
  return {
    name,
    logoPath: `${basePath}/_sandbox/clients/${encodeURIComponent(clientId)}/logo?v=${changedAt}`,
  }
}

/** Renders the logo of the relying party, or its initial. The heading beside it shows the name. */
export function renderClientBadge({ name, logoPath }: ClientBadge): Html {
  if (logoPath !== undefined)
    return html`<img class="client-logo" src="${logoPath}" alt="" width="48" height="48">`
  const [initial = '?'] = name.trim()
  return html`<span class="client-logo initial" aria-hidden="true">${initial.toUpperCase()}</span>`
}

/** `GET /_sandbox/clients/CLIENT_ID/logo`: the image file that the config names for this client. */
export const clientLogo: Handler = async ({ params }, { clients }) => {
  const file = clients.find(params['client'] ?? '')?.logo
  const type = file === undefined ? undefined : typeOf(file)
  if (file === undefined || type === undefined) throw noLogo()
  const bytes = await readFile(file).catch((error: unknown) => {
    throw isOutOfDescriptors(error) ? error : noLogo()
  })
  return {
    reply: {
      status: 200,
      headers: {
        'Content-Type': type,
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      },
      body: { kind: 'bytes', bytes },
    },
  }
}

const typeOf = (file: string): string | undefined => TYPES[extname(file).toLowerCase()]

/** The modification time in epoch milliseconds; `undefined` when the path is not an image file. */
async function changeTimeOf(file: string): Promise<number | undefined> {
  if (typeOf(file) === undefined) return undefined
  const found = await stat(file).catch(() => undefined)
  return found?.isFile() ? Math.floor(found.mtimeMs) : undefined
}

const noLogo = () =>
  Refusal.notFound(
    `This client has no logo: the config names none, or the file is not there (${Object.keys(TYPES).join(', ')}).`,
    { title: 'No logo' },
  )
