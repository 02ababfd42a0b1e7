// The package has no types. These are of what tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  interface Oidc {
    provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant }
    session?: { accountId?: string }
  }
  interface Configuration {
    findAccount(context: unknown, accountId: string): object
    interactions: { url(context: unknown, interaction: { uid: string }): string }
    loadExistingGrant(context: { oidc: Oidc }): Promise<Grant>
    [name: string]: unknown
  }
  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
