import { readFile } from 'node:fs/promises'
import { packageRoot } from '../../package-root.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { consoleFrame } from '../../server/http/console-page.ts'
import { readSearch } from '../../server/http/form.ts'
import type { Handler, HttpHost, RouteRow } from '../../server/http/handler.ts'
import { page, type Reply, redirect } from '../../server/http/reply.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { nearest, unknownName } from '../../service/text/message-parts.ts'
import { documentFiles, FILES_BESIDE_DOCS, linkedFile, linkedFiles, mediaTypeOf } from './files.ts'

const DOCS = '/_sandbox/docs'

/** The paths of files that documents link to. */
const LINKED_PATHS = [
  'docs/:folder/:file',
  'public/:folder/:file',
  ...['', ':file', ':folder/:file'].map((below) => `examples/:app/${below}`),
]

/**
 * Loaded with the first document, because only documents need the Markdown parser and the search.
 */
const loadPages = onDemand(() => import('./pages.ts'))

/**
 * The routes of the documents, as pages and as Markdown. Decision: they need no control token, even
 * from other machines, because they contain no secret.
 */
export function createDocumentRoutes(host: HttpHost): readonly RouteRow[] {
  const showIndex: Handler = async (request, tenant) => {
    const { renderIndex } = await loadPages()
    return { reply: page(200, renderIndex(await consoleFrame(request, tenant, host))) }
  }
  const showSearch: Handler = async (request, tenant) => {
    const { renderSearch } = await loadPages()
    const query = readSearch(request)['q'] ?? ''
    return {
      reply: page(200, await renderSearch(await consoleFrame(request, tenant, host), query)),
    }
  }
  /**
   * Serves `docs/audit` as a page and `docs/audit.md` as Markdown. The Markdown of a document
   * outside `docs/` is served at its own path, where its relative links work.
   */
  const showDocument: Handler = async (request, tenant) => {
    const { name = '' } = request.params
    const wanted = name.replace(/\.md$/, '')
    const file = documentFiles().get(wanted)
    if (file === undefined) throw unknownDocument(name)
    if (name !== wanted) {
      const isHere = file === `docs/${name}`
      return {
        reply: isHere
          ? await fileReply(file)
          : redirect(302, `${tenant.basePath}/_sandbox/${file}`),
      }
    }
    const { renderServedDocument } = await loadPages()
    const rendered = renderServedDocument(await consoleFrame(request, tenant, host), name)
    if (rendered === undefined) throw unknownDocument(name)
    return { reply: page(200, rendered) }
  }
  return [
    { path: DOCS, method: 'get', handler: showIndex, errors: 'page' },
    { path: `${DOCS}/search`, method: 'get', handler: showSearch, errors: 'page' },
    { path: `${DOCS}/:name`, method: 'get', handler: showDocument, errors: 'page' },
    ...LINKED_PATHS.map((path): RouteRow => {
      return { path: `/_sandbox/${path}`, method: 'get', handler: sendLinkedFile, errors: 'page' }
    }),
    ...FILES_BESIDE_DOCS.map((file): RouteRow => {
      return {
        path: `/_sandbox/${file}`,
        method: 'get',
        handler: async () => ({ reply: await fileReply(file) }),
      }
    }),
    ...['/llms.txt', '/_sandbox/llms.txt'].map(
      (path): RouteRow => ({ path, method: 'get', handler: sendLlmsText }),
    ),
  ]
}

/** Serves a linked file. The package contains no examples; a checkout and the image do. */
const sendLinkedFile: Handler = async ({ path }) => {
  const file = linkedFile('', path.slice('/_sandbox/'.length))
  if (linkedFiles().includes(file)) return { reply: await fileReply(file) }
  const where = file.startsWith('examples/')
    ? 'the repository has the examples'
    : '/_sandbox/docs lists the documents'
  throw Refusal.notFound(
    `docs: there is no file ${JSON.stringify(file.slice(0, 80))} here; ${where}`,
  )
}

const sendLlmsText: Handler = async (_request, { provider }) => {
  const { renderLlmsText } = await loadPages()
  const text = renderLlmsText(({ file }) => `${provider.baseUrl}/_sandbox/${file}`)
  return {
    reply: {
      status: 200,
      headers: headersOf('text/plain; charset=utf-8'),
      body: { kind: 'text', text },
    },
  }
}

/**
 * @param file a path from a fixed list, relative to the root of the package; never a part of a
 * request
 */
async function fileReply(file: string): Promise<Reply> {
  const bytes = await readFile(new URL(file, packageRoot))
  return { status: 200, headers: headersOf(mediaTypeOf(file)), body: { kind: 'bytes', bytes } }
}

const headersOf = (type: string) => ({ 'Content-Type': type, 'Cache-Control': 'no-cache' })

const unknownDocument = (name: string) => {
  const known = [...documentFiles().keys()]
  return Refusal.notFound(
    `docs: ${unknownName('document', name, known)} /_sandbox/docs lists all.`,
    {
      title: 'No such document',
      suggestions: nearest(name, known),
    },
  )
}
