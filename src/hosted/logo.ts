import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Handler } from '../http/route.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ClientView } from './client-badge.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
}

/** An SVG document is not just an image: opened by its address it runs no script and loads nothing. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The relying party as a hosted page shows it; a logo whose file is not there now is left out. */
export async function clientView({ clients, basePath }: Tenant, clientId: string): Promise<ClientView> {
  const client = clients.find(clientId)
  const name = client?.name ?? clientId
  const changedAt = client?.logo === undefined ? undefined : await changeTimeOf(client.logo)
  if (changedAt === undefined) return { name }
  // With the time in its address a logo takes effect on the next request, whatever a browser has kept.
  return { name, logoPath: `${basePath}/_sandbox/clients/${encodeURIComponent(clientId)}/logo?v=${changedAt}` }
}

/** `GET /_sandbox/clients/CLIENT_ID/logo`: the image file that the config names for this client, as it is now. */
export const clientLogo: Handler = async ({ params }, { clients }) => {
  const file = clients.find(params['client'] ?? '')?.logo
  const type = file === undefined ? undefined : typeOf(file)
  if (file === undefined || type === undefined) throw noLogo()
  const bytes = await readFile(file).catch(() => {
    throw noLogo()
  })
  return {
    reply: {
      status: 200,
      headers: {
        'Content-Type': type,
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      },
      body: '',
      bytes,
    },
  }
}

const typeOf = (file: string): string | undefined => TYPES[extname(file).toLowerCase()]

/** In epoch milliseconds; `undefined` for what is no image file. */
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
