import type { FirstStart } from './first-start.ts'

/** What whoever started the portal reads: where it is, and what to do next. */
export function greeting(url: string, first: FirstStart): string {
  return `${[`Edge Management Portal is at ${url}`, '', ...next(url, first), ''].join('\n')}\n`
}

function next(url: string, first: FirstStart): string[] {
  switch (first.outcome) {
    case 'made for demo':
      return [
        'Made for you, and shown only now:',
        '',
        `  e-mail    ${first.email}`,
        `  password  ${first.password}`,
        `  API key   ${first.secret}`,
        '',
        'A first call:',
        '',
        `curl ${url}/graphql \\`,
        `  -H 'content-type: application/json' -H 'api-secret: ${first.secret}' \\`,
        `  -d '{"query":"{ devices { data { id name } } }"}'`,
      ]
    case 'made for admin':
      return [
        `Made the organization ${first.slug} with the Admin ${first.email}. A first key:`,
        `  npx portal key generate --org ${first.slug} --label my-script`,
      ]
    case 'empty':
      return [
        'Nobody is here yet. Make a person, then an organization with that Admin:',
        '  npx portal user create you@example.com',
        '  npx portal org create "Acme Edge" --admin you@example.com',
      ]
    case 'in use':
      return [
        `Another key:         npx portal key generate --org ${first.slug ?? 'SLUG'} --label my-script`,
        'A password is lost:  npx portal user reset EMAIL',
      ]
  }
}
