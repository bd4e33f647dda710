/** What Mantine's provider computes in the browser is in the stylesheet: see theme-styles.ts. */
export const MantineCssVariables = () => null

export const MantineClasses = () => null
