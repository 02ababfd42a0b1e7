import type { AppRoute, ServerInferRequest, ServerInferResponseBody } from '@ts-rest/core'
import type { RouteMetadata, StartedLogin } from '@usher/contract'
import type { AppContext } from '../domain/context.js'
import type {
  OperatorDatabaseRequest,
  OperatorRequest,
  OwnRequest,
  WorkspaceRequest,
} from '../domain/operators/operator-request.js'
import type { DatabaseRequest, KeyRequest, UserRequest } from '../domain/request.js'

/** An operation of a contract, as ts-rest describes it. */
export type Route = AppRoute & { metadata: RouteMetadata }
export type Routes = Record<string, Route>

/** An operation, and what runs it. */
export interface Operation {
  /** Its name in the contract. */
  name: string
  route: Route
  /** The status of a success. */
  status: number
  /** Whether the path has a database that exists. */
  isOfDatabase: boolean
  rule: (context: AppContext, request: object) => Promise<unknown>
}

/** The rules of operations. One that is missing, or takes or returns something else than its operation does, does not compile. */
export type RulesOf<R> = {
  [Name in keyof R]: R[Name] extends Route
    ? (context: AppContext, request: RequestOf<R[Name]>) => Promise<ResultOf<R[Name]>>
    : never
}

/** What a rule gets: the validated request, and what admission has found. */
type RequestOf<R extends Route> = Omit<ServerInferRequest<R>, 'body'> &
  (R['metadata'] extends { who: infer Who } ? RequestBy<Who, R, BodyOf<R>> : never)

type RequestBy<Who, R extends Route, Body> = Who extends { portal: true }
  ? DatabaseRequest<Body> & Partial<UserRequest<Body>>
  : Who extends { user: 'needed' }
    ? UserRequest<Body>
    : Who extends { user: 'optional' }
      ? DatabaseRequest<Body> & Partial<UserRequest>
      : Who extends { key: string }
        ? KeyRequest<Body>
        : Who extends { operator: string } | { host: true }
          ? RequestOfOperator<R, Body>
          : ParamsOf<R> extends { databaseName: string }
            ? DatabaseRequest<Body>
            : OperatorRequest<Body>

/** The request of an operation that only operators, and the machine of the server, may use. */
type RequestOfOperator<R extends Route, Body> = (R['metadata'] extends { isOwn: true }
  ? OwnRequest<Body>
  : OperatorRequest<Body>) &
  (R['metadata'] extends { findsDatabase: true }
    ? unknown
    : ParamsOf<R> extends { databaseName: string }
      ? OperatorDatabaseRequest<Body>
      : ParamsOf<R> extends { workspaceSlug: string }
        ? WorkspaceRequest<Body>
        : unknown)

type ParamsOf<R extends Route> = ServerInferRequest<R> extends { params: infer Params } ? Params : unknown
type BodyOf<R extends Route> = ServerInferRequest<R> extends { body: infer Body } ? Body : unknown

/** The body of a successful response. For 204, and where the contract has `Accepted`, the result of the rule is not sent. */
type ResultOf<R extends Route> = 200 extends keyof R['responses']
  ? ServerInferResponseBody<R, 200>
  : 201 extends keyof R['responses']
    ? ServerInferResponseBody<R, 201>
    : R['responses'] extends { 202: typeof StartedLogin }
      ? StartedLogin
      : unknown

/** A part of a request. */
export type Part = 'params' | 'headers' | 'query' | 'body'

/** The parts of a request. */
export type Input = Record<Part, unknown>

/** Returns an operation of a noun. */
export const operationOf = (name: string, route: Route, rules: object): Operation => ({
  name,
  route,
  status: Number(Object.keys(route.responses).find((each) => Number(each) < 300)),
  isOfDatabase: route.path.includes('/:databaseName') && !route.metadata.findsDatabase,
  rule: (rules as Record<string, Operation['rule']>)[name] as Operation['rule'],
})
