import type { SandboxApi } from '../../server/client/sandbox-api.ts'

/** A document of the service, by its call name. */
export type ServiceDocument = 'discovery' | 'jwks'

const DOCUMENTS: readonly ServiceDocument[] = ['discovery', 'jwks']

/** A watch on the documents that an app requests. */
export interface WatchedDocuments {
  /** The documents that the app has requested since the watch began. */
  requested(): Promise<readonly ServiceDocument[]>
  /** Ends the watch. */
  stop(): Promise<void>
}

/** Begins a watch. It arms one scenario for each document, which passes at the first request. */
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
