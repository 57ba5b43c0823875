import type { SandboxApi } from '../../server/client/sandbox-api.ts'

/** A document of the service, by the name of its call. */
export type ServiceDocument = 'discovery' | 'jwks'

const DOCUMENTS: readonly ServiceDocument[] = ['discovery', 'jwks']

/** Which documents of the service an app requests. */
export interface WatchedDocuments {
  /** The documents that the app has requested since the watch began. */
  requested(): Promise<readonly ServiceDocument[]>
  /** Ends the watch. */
  stop(): Promise<void>
}

/** Watches the documents by scenarios, each of which awaits one call of the app. */
export async function watchDocuments({ scenarios }: SandboxApi): Promise<WatchedDocuments> {
  const ids = new Map<ServiceDocument, string>()
  for (const name of DOCUMENTS) {
    const steps = [{ await: name }]
    const { id } = await scenarios.arm({ name: `audit: your app reads ${name}`, steps })
    ids.set(name, id)
  }
  return {
    async requested() {
      const found: ServiceDocument[] = []
      for (const [name, id] of ids) {
        const { status } = await scenarios.get(id)
        if (status === 'passed') found.push(name)
      }
      return found
    },
    async stop() {
      for (const id of ids.values()) await scenarios.remove(id)
    },
  }
}
