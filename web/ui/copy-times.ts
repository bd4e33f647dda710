/** Times are copied as in their tooltips: "2 days ago" says nothing elsewhere. */
export function copyExactTimes(): void {
  document.addEventListener('copy', () => {
    const selection = getSelection()
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[title]')) {
      const text = time.firstChild
      if (!(text instanceof Text) || !selection?.containsNode(time)) continue
      const { data } = text
      text.data = time.title
      setTimeout(() => {
        text.data = data // once the browser has copied it
      })
    }
  })
}
