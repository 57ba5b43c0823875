import * as z from 'zod'
import { SIGNING_ALGORITHMS } from '../../service/oidc/ports.ts'
import { camelCased } from '../../service/text/camel-case.ts'
import { countedList } from '../../service/text/counted-list.ts'
import { redirectUriProblem } from '../addresses/addresses.ts'

/** Maximum number of redirect URIs of one client. */
const MAX_REDIRECT_URIS = 100

const nonEmpty = z.string().min(1)

/** RFC 6749 appendix A: client identifiers and secrets are printable ASCII. */
const printableAscii = z
  .string()
  .regex(/^[\x20-\x7e]+$/, { error: 'expected one or more printable ASCII characters' })

const redirectUri = z.string().check(({ value, issues }) => {
  const message = redirectUriProblem(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
})

/** A relying party, as declared in the config file and by the control API. */
export const clientSchema = z.strictObject({
  client_id: printableAscii,
  client_secret: printableAscii,
  name: nonEmpty.optional(),
  logo: nonEmpty.optional().describe('Path of an image file'),
  redirect_uris: countedList(redirectUri, { min: 1, max: MAX_REDIRECT_URIS }).describe(
    'Matched character by character',
  ),
  persona: nonEmpty
    .optional()
    .describe('Decides for every request of this client, without a choice page'),
  signing_alg: z
    .enum(SIGNING_ALGORITHMS)
    .optional()
    .describe('Signs the id_tokens of this client; the signing_alg of the sandbox when absent'),
})

export const clientSettingsSchema = z.object({
  ...camelCased(clientSchema.shape),
  redirectUris: z.array(z.string()).readonly(),
})

/** A relying party in the settings, with camelCase names. */
export type ClientSettings = Readonly<z.infer<typeof clientSettingsSchema>>

/** Converts a declared client to camelCase. */
export const clientSettingsOf = (client: z.output<typeof clientSchema>): ClientSettings =>
  camelCased(client)
