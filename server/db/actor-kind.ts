/** What kind of caller did something. */
export type ActorKind = 'USER' | 'API_KEY' | 'SUPPORT' | 'SYSTEM'
