/** A GraphQL document without the white space that makes it readable in the source. */
export const compact = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ?([{}():,!]) ?/g, '$1')
    .trim()
