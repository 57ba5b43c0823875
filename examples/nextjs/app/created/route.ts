import { NextResponse } from 'next/server'
import { asked } from '@/lib/age'

export async function GET(request: Request) {
  const answer = new URL(request.url).searchParams
  try {
    await asked('age_create', answer)
  } catch {
    return new NextResponse('This answer cannot be trusted.', { status: 400 })
  }
  // No error means that the age key was saved.
  if (answer.has('error')) return new NextResponse('No age key was saved.', { status: 403 })
  return new NextResponse('Your age key is saved.')
}
