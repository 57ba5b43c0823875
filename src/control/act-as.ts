import * as z from 'zod'
import { personaCookie } from '../http/persona-cookie.ts'
import { json, noContent, page } from '../http/reply.ts'
import { PERSONA_COOKIE } from '../sandbox/decision/decide.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import { renderActAs, renderActing } from './act-as-page.ts'
import { controlRoute } from './control-route.ts'

export const actAsRoutes = [
  controlRoute({
    method: 'get',
    path: '/act-as/:name',
    operationId: 'showActAs',
    summary: 'A page with one button that makes this browser act as the persona',
    responses: { 200: undefined },
    async handle({ tenant, params, shell }) {
      const { name, title } = await requirePersona(params['name'] ?? '', { personas: tenant.personas, status: 404 })
      return page(200, renderActAs({ shell, name, title, action: `${tenant.basePath}/_sandbox/act-as/${name}` }))
    },
  }),
  controlRoute({
    method: 'post',
    path: '/act-as/:name',
    operationId: 'actAs',
    acceptsForm: true,
    summary: `Sets the cookie ${PERSONA_COOKIE}: this browser acts as the persona from now on`,
    responses: { 200: z.object({ persona: z.string() }) },
    async handle({ tenant, params, isForm, shell }) {
      const { name, title } = await requirePersona(params['name'] ?? '', { personas: tenant.personas, status: 404 })
      const cookie = { 'Set-Cookie': personaCookie(name, tenant) }
      if (!isForm) return json(200, { persona: name }, cookie)
      const reply = page(200, renderActing({ shell, name, title }))
      return { ...reply, headers: { ...reply.headers, ...cookie } }
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/act-as',
    operationId: 'stopActing',
    summary: `Clears the cookie ${PERSONA_COOKIE}`,
    responses: { 204: undefined },
    handle: ({ tenant }) => noContent({ 'Set-Cookie': personaCookie(undefined, tenant) }),
  }),
]
