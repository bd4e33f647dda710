export type ActorKind = 'USER' | 'API_KEY' | 'SUPPORT' | 'SYSTEM'
