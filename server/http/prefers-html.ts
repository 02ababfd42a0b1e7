/** Returns whether the client is a browser that navigates to a page. */
export const prefersHtml = (accept: string | undefined) => accept?.includes('text/html') ?? false
