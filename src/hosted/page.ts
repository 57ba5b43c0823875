import type { Reply } from '../http/reply.ts'
import type { Pending } from '../sandbox/decision/pending.ts'
import { choosePage } from './choose.ts'
import { createPage } from './create.ts'
import { embeddingView } from './embedding.ts'
import { hostedReply } from './reply.ts'
import { hostedShell, type Visit } from './shell.ts'
import type { HostedContext } from './view.ts'

/** The page on which the user decides the request that waits under `id`. */
export async function hostedPage(id: string, { transaction, findings }: Pending, visit: Visit): Promise<Reply> {
  const shell = hostedShell(visit, transaction.presentation)
  const embedding = embeddingView(visit.request, transaction.flow)
  const context: HostedContext = { id, findings, shell, embedding, visit }
  const rendered = await (transaction.flow === 'use'
    ? choosePage(transaction, context)
    : createPage(transaction, context))
  // Chromium applies form-action to the redirect that answers the form.
  const reply = hostedReply(rendered, { ...shell, redirectUri: transaction.redirectUri })
  // Not no-store: the back button would then ask for the URL again and begin a second flow in place of the one that is over.
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' } }
}
