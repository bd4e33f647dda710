import { mutate } from './client.ts'
import { graphql } from './graphql.ts'

const PAUSE = graphql(`
  mutation PauseApiKey($id: ID!, $seconds: Int) {
    pauseApiKey(id: $id, seconds: $seconds) { pausedUntil }
  }
`)

/** Without seconds: until it is resumed. */
export const pauseApiKey = async (slug: string, id: string, seconds: number | null) =>
  (await mutate(PAUSE, { id, seconds }, slug)).pauseApiKey

const RESUME = graphql(`
  mutation ResumeApiKey($id: ID!) {
    resumeApiKey(id: $id) { id }
  }
`)

export const resumeApiKey = (slug: string, id: string) => mutate(RESUME, { id }, slug)
