import { graphql } from './graphql.ts'

/** The first thing that every page asks for, on its own so that the build can write it into the page. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      role
      support
      emailVerified
      user { id name email }
      organization { id slug name kind apiKeysEnabled }
      organizations { id slug name kind }
    }
  }
`)
