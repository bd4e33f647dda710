const refuse = (): never => {
  throw new Error('Routes have no JSON schemas here: our own code checks what comes in.')
}

/** For Fastify, which else loads and prepares two compilers for the JSON schemas of routes. */
export const NO_SCHEMAS = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } }
