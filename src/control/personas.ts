import { Refusal } from '../oidc/refusal.ts'
import { requirePersona } from '../sandbox/outcomes/names.ts'
import { type Persona, personaNameSchema } from '../sandbox/personas/persona-schema.ts'
import type { ControlCall, Handlers } from './handler.ts'
import { readPageAfter } from './page-after.ts'

export const personaHandlers: Pick<
  Handlers,
  'listPersonas' | 'getPersona' | 'putPersona' | 'putPersonas' | 'deletePersona'
> = {
  async listPersonas({ tenant: { personas }, query }) {
    const { items, next } = await readPageAfter(await personas.list(), query, {
      idOf: ({ name }) => name,
      show: personas.resolved,
    })
    return { status: 200, body: { personas: items, next } }
  },
  async getPersona({ tenant, params }) {
    return { status: 200, body: tenant.personas.resolved(await existing(params.name, tenant)) }
  },
  async putPersona({ tenant, params, body: { name: named, ...rest } }) {
    const name = checkName(params.name)
    if (named !== undefined && named !== name) {
      throw Refusal.invalidRequest(
        `name: "${named}" is not the name in the path, "${name}"; make them the same or leave it out`,
      )
    }
    const isNew = (await tenant.personas.find(name)) === undefined
    const persona: Persona = { name, ...rest }
    await tenant.personas.put(persona)
    return { status: isNew ? 201 : 200, body: tenant.personas.resolved(persona) }
  },
  async putPersonas({ tenant: { personas }, body }) {
    await personas.putAll(body.personas)
    return { status: 200, body: { personas: body.personas.map(personas.resolved) } }
  },
  async deletePersona({ tenant, params }) {
    const { name } = await existing(params.name, tenant)
    await tenant.personas.remove(name)
    return { status: 204 }
  },
}

const existing = (name: string, { personas }: ControlCall<'getPersona'>['tenant']) =>
  requirePersona(name, { personas, status: 404 })

function checkName(name: string): string {
  if (personaNameSchema.safeParse(name).success) return name
  throw Refusal.invalidRequest(
    `name: ${JSON.stringify(name.slice(0, 80))} must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen`,
  )
}
