// Writes the types and the endpoints of the SDK, sdk/schemas.ts, sdk/endpoints.ts and those of the management API, from
// the contract. With --check, fails if a file is out of date.
import { contract } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import { Part } from './sdk-part.js'
import { header, writeFiles } from './sdk-types.js'

const { discovery: _discovery, service: _service, ...publicRouters } = contract
const users = new Part(openApiDocument('http://localhost:3000', '0'), publicRouters, {
  result: 'Result',
  // One constant per router, so that a bundler leaves out those that an app does not use.
  constantOf: (tag) => tag,
})

const { service: _managementService, ...managementRouters } = managementContract
const management = new Part(managementDocument('http://localhost:3000', '0'), managementRouters, {
  result: 'ManagementResult',
  constantOf: () => 'managementEndpoints',
  isPaged: true,
})

writeFiles({
  'sdk/schemas.ts': [header, ...users.schemas(), users.errors('ErrorMessages', 'ErrorCode')],
  'sdk/endpoints.ts': [
    header,
    "import type { Endpoint } from './endpoint.js'",
    "import type { Result } from './result.js'",
    `import type { ${users.usedSchemas()} } from './schemas.js'`,
    "import type { CallOptions, ConfirmOptions, WorkOptions } from './send.js'\n",
    ...Object.keys(publicRouters).map((tag) =>
      users.endpoints([tag], `Endpoints of the router \`${tag}\`.`, 'Endpoint'),
    ),
    ...users.errorCodes(),
    users.methods('The operations of the API as functions.', 'Operations'),
  ],
  'sdk/management-schemas.ts': [
    header,
    ...management.schemas(),
    management.errors('ManagementErrorMessages', 'ManagementErrorCode'),
  ],
  'sdk/management-endpoints.ts': [
    header,
    "import type { ChangeOptions, ManagementEndpoint, ManagementResult, PostOptions } from './management-operation.js'",
    `import type { ${management.usedSchemas()} } from './management-schemas.js'`,
    "import type { CallOptions } from './send.js'\n",
    management.endpoints(
      Object.keys(managementRouters),
      'Endpoints of the management API.',
      'ManagementEndpoint',
    ),
    ...management.errorCodes(),
    management.methods('The operations of the management API as functions.', 'ManagementOperations'),
    management.iterators(
      'The lists of the management API, which request their pages when they are needed.',
      'ManagementLists',
    ),
  ],
})
