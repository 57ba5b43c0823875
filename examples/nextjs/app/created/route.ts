import { asked } from '@/lib/age'

export async function GET(request: Request) {
  const answer = new URL(request.url).searchParams
  const nonce = await asked('age_create', answer).catch(() => undefined)
  if (!nonce) return new Response('This answer cannot be trusted.', { status: 400 })
  // No error means that the age key was saved.
  if (answer.has('error')) return new Response('No age key was saved.', { status: 403 })
  return new Response('Your age key is saved.')
}
