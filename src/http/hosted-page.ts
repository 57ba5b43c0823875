import type { Pending } from '../sandbox/pending.ts'
import { choosePage } from './choose-view.ts'
import { createPage } from './create-view.ts'
import { embeddingView } from './hosted-embedding.ts'
import { hostedReply } from './hosted-reply.ts'
import { hostedShell, type Visit } from './hosted-shell.ts'
import type { HostedContext } from './hosted-view.ts'
import type { Reply } from './reply.ts'

/** The page on which the user decides the request that waits under `id`. */
export async function hostedPage(id: string, { transaction, findings }: Pending, visit: Visit): Promise<Reply> {
  const shell = hostedShell(visit, transaction.presentation)
  const embedding = embeddingView(visit.request, transaction.flow)
  const context: HostedContext = { id, findings, shell, embedding, visit }
  const html = await (transaction.flow === 'use' ? choosePage(transaction, context) : createPage(transaction, context))
  // Chromium applies form-action to the redirect that answers the form.
  const reply = hostedReply(html, { ...shell, redirectUri: transaction.redirectUri })
  // Not no-store: the back button would then ask for the URL again and begin a second flow in place of the one that is over.
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' } }
}
