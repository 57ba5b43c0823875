import * as z from 'zod'
import { json, noContent } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import { type Persona, personaNameSchema, personaSchema } from '../sandbox/personas/persona-schema.ts'
import { controlRoute } from './control-route.ts'
import { personaShape } from './shapes.ts'

export const personaRoutes = [
  controlRoute({
    method: 'get',
    path: '/personas',
    operationId: 'listPersonas',
    summary: 'Every persona, with its dates resolved',
    responses: { 200: z.object({ personas: z.array(personaShape) }) },
    async handle({ tenant }) {
      const personas = await tenant.personas.list()
      return json(200, { personas: personas.map((persona) => tenant.personas.resolved(persona)) })
    },
  }),
  controlRoute({
    method: 'get',
    path: '/personas/:name',
    operationId: 'getPersona',
    summary: 'One persona, with its dates resolved',
    responses: { 200: personaShape },
    handle: async ({ tenant, params }) =>
      json(
        200,
        tenant.personas.resolved(
          await requirePersona(params['name'] ?? '', { personas: tenant.personas, status: 404 }),
        ),
      ),
  }),
  controlRoute({
    method: 'put',
    path: '/personas/:name',
    operationId: 'putPersona',
    summary: 'Adds a persona or replaces one, as a persona file would declare it; dates may be relative',
    // The name stands in the path; a name inside must be the same.
    body: personaSchema.partial({ name: true }),
    responses: { 200: personaShape, 201: personaShape },
    async handle({ tenant, params, body }) {
      const name = checkName(params['name'] ?? '')
      if (body.name !== undefined && body.name !== name) {
        throw Refusal.invalidRequest(
          `name: "${body.name}" is not the name in the path, "${name}"; make them the same or leave it out`,
        )
      }
      const isNew = (await tenant.personas.find(name)) === undefined
      const persona: Persona = { ...body, name }
      await tenant.personas.put(persona)
      return json(isNew ? 201 : 200, tenant.personas.resolved(persona))
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/personas/:name',
    operationId: 'deletePersona',
    summary: 'Removes a persona; a reset brings a declared one back',
    responses: { 204: undefined },
    async handle({ tenant, params }) {
      const { name } = await requirePersona(params['name'] ?? '', { personas: tenant.personas, status: 404 })
      await tenant.personas.remove(name)
      return noContent()
    },
  }),
]

function checkName(name: string): string {
  if (personaNameSchema.safeParse(name).success) return name
  throw Refusal.invalidRequest(
    `name: ${JSON.stringify(name.slice(0, 80))} must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen`,
  )
}
