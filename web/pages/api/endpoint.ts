/** Where programs call this portal. */
export const endpoint = () => `${window.location.origin}/graphql`
