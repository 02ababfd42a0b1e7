/** Stands in for `expo-linking`: the app was opened by a link. */
let url: string | null = null

export const useLinkingURL = () => url

/** For the test: opens the app by a link. */
export function openBy(link: string) {
  url = link
}
