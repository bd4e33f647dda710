/** Of a native select: Mantine's brings the styles of all comboboxes along. */
export const ComboboxChevron = () => (
  <svg aria-hidden="true" width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor">
    <path d="M5 6l3-3 3 3M5 10l3 3 3-3" />
  </svg>
)
