/** Whether exactly this word was typed; blanks around it do not matter. */
export const isConfirmed = (text: string, word: string): boolean => text.trim() === word.trim()
