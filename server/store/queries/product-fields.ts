/** A JSON object of the product. The store has its text, and the driver parses it unless it is null. */
export type ProductObject = Record<string, unknown>

/** What a product adds to a user or a tenant. */
export interface ProductFields {
  /** The id in the product, unique in the database. */
  externalId: string | null
  metadata: ProductObject | null
  privateMetadata: ProductObject | null
}
