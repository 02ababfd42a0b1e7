/** A part of the API: what apps and browsers use, or what the backend of a product uses with an API key. */
export type Part = 'public' | 'management'

export const everyPart: readonly Part[] = ['public', 'management']
