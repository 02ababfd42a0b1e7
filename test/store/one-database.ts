import { type Node, parse, type RangeVar, type ReturningClause } from 'libpg-query'
import type { Logged } from './statement-log.js'

// Checks with PostgreSQL's parser that a statement uses rows of only one database. In every query of the statement,
// each distributed table must have a condition `database_id = value` or get a value. All these values must be equal.
// It also reports what Citus rejects or runs on all nodes.

/** Returns the errors of a statement for a distributed store. */
export async function errorsOf({ sql, parameters }: Logged, distributed: ReadonlySet<string>) {
  const nodes = [...nodesIn((await parse(sql)).stmts)]
  const errors: string[] = []
  const databases = new Set<string>()
  const seen = new Set<RangeVar>()
  const isDistributed = (table?: RangeVar): table is RangeVar & { relname: string } =>
    (table?.schemaname ?? 'usher') === 'usher' && distributed.has(table?.relname ?? '')

  function note(values: Node[]) {
    for (const text of values.map((value) => textOf(value, parameters))) {
      if (text !== null) databases.add(text)
    }
  }

  function checkTables(from: Node[], where?: Node) {
    const references = from.flatMap((item) => referencesIn(item, conjunctsOf(where)))
    for (const { table, conditions } of references) {
      if (!isDistributed(table)) continue
      seen.add(table)
      const name = table.alias?.aliasname ?? table.relname
      const found = conditions.map((each) => databaseIdsIn(each, name, references.length === 1))
      const values = found.find((each) => each !== undefined)
      if (values) note(values)
      else errors.push(`${name} is not held to a database_id`)
    }
  }

  function checkAssignments(table?: RangeVar, assignments: Node[] = []) {
    if (!isDistributed(table)) return
    if (assignments.some((each) => as(each).ResTarget?.name === 'database_id')) {
      errors.push(`${table.relname} gets another database_id`)
    }
    const within = [...nodesIn(assignments)]
    const functions = within.flatMap(({ FuncCall }) => as(FuncCall?.funcname?.at(-1)).String?.sval ?? [])
    const addsInterval = within.some(({ TypeCast }) =>
      TypeCast?.typeName?.names?.some((each) => as(each).String?.sval === 'interval'),
    )
    // AT TIME ZONE, a function, is immutable. Adding an interval without it is not.
    if (addsInterval && !functions.includes('timezone')) {
      errors.push(`${table.relname} is updated by adding an interval without a time zone`)
    }
    const isVolatile = functions.some((name) => name !== 'timezone')
    if (isVolatile || within.some(({ SQLValueFunction }) => SQLValueFunction)) {
      errors.push(`${table.relname} is updated by a function, which may be volatile`)
    }
  }

  function checkInsert(table?: RangeVar, columns: Node[] = [], source: Node | undefined = undefined) {
    if (!isDistributed(table)) return
    seen.add(table)
    const column = columns.findIndex((each) => as(each).ResTarget?.name === 'database_id')
    const { valuesLists, targetList = [], fromClause = [] } = as(source).SelectStmt ?? {}
    // Tables have their schema, so this is another part of the statement: Citus copies it to every worker.
    if (fromClause.some((each) => as(each).RangeVar && !as(each).RangeVar?.schemaname)) {
      errors.push(`${table.relname} gets rows from another part of the statement`)
    }
    const rows = valuesLists?.map((list) => as(list).List?.items ?? [])
    for (const row of rows ?? [targetList.map((each) => as(each).ResTarget?.val)]) {
      const value = row[column]
      if (value && isValue(value)) note([value])
      else errors.push(`${table.relname} gets no database_id`)
    }
  }

  /** Prisma casts an enum column that a write returns. Citus rejects that, because the cast is not immutable. */
  function checkReturning(returning?: ReturningClause) {
    const casts = [...nodesIn(returning?.exprs)].flatMap(({ TypeCast }) => columnOf(TypeCast?.arg) ?? [])
    for (const { column } of casts) errors.push(`a cast of ${column} is returned`)
  }

  for (const { SelectStmt, DeleteStmt, UpdateStmt, InsertStmt } of nodes) {
    checkReturning((DeleteStmt ?? UpdateStmt ?? InsertStmt)?.returningClause)
    if (SelectStmt) checkTables(SelectStmt.fromClause ?? [], SelectStmt.whereClause)
    if (DeleteStmt) {
      const { relation = {}, usingClause = [], whereClause } = DeleteStmt
      checkTables([{ RangeVar: relation }, ...usingClause], whereClause)
    }
    if (UpdateStmt) {
      const { relation = {}, fromClause = [], whereClause, targetList } = UpdateStmt
      checkTables([{ RangeVar: relation }, ...fromClause], whereClause)
      checkAssignments(relation, targetList)
    }
    if (InsertStmt) {
      checkInsert(InsertStmt.relation, InsertStmt.cols, InsertStmt.selectStmt)
      checkAssignments(InsertStmt.relation, InsertStmt.onConflictClause?.targetList)
    }
  }
  for (const { RangeVar: table } of nodes) {
    if (isDistributed(table) && !seen.has(table)) errors.push(`${table.relname} is named outside a query`)
  }
  if (databases.size > 1) errors.push(`it goes to ${databases.size} databases`)
  return errors
}

type Kind = Node extends infer Each ? (Each extends Each ? keyof Each : never) : never
/** A node is an object with one field, named after its kind. */
type AnyNode = { [K in Kind]?: Extract<Node, Record<K, unknown>>[K] }
const as = (node: Node | undefined) => (node ?? {}) as AnyNode

/** Yields all nodes, including tables and queries in fields that are not wrapped as nodes. */
function* nodesIn(value: unknown): Generator<AnyNode> {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, body] of Object.entries(value)) {
      if (/^[A-Z]/.test(name)) yield { [name]: body } as AnyNode
      if (name === 'relation') yield { RangeVar: body as RangeVar }
      if (/^[lr]arg$/.test(name) && 'limitOption' in body) yield { SelectStmt: body }
      yield* nodesIn(body)
    }
  }
}

/** Returns the tables of a FROM item, each with the conditions that apply to all its rows. */
function referencesIn(item: Node, conditions: Node[]): { table: RangeVar; conditions: Node[] }[] {
  const { RangeVar: table, JoinExpr: join } = as(item)
  if (table) return [{ table, conditions }]
  if (!join?.larg || !join.rarg) return []
  const on = [...conditions, ...conjunctsOf(join.quals)]
  const { jointype = '' } = join
  return [
    ...referencesIn(join.larg, ['JOIN_INNER', 'JOIN_RIGHT'].includes(jointype) ? on : conditions),
    ...referencesIn(join.rarg, ['JOIN_INNER', 'JOIN_LEFT'].includes(jointype) ? on : conditions),
  ]
}

function conjunctsOf(condition: Node | undefined): Node[] {
  if (!condition) return []
  const { BoolExpr } = as(condition)
  return BoolExpr?.boolop === 'AND_EXPR' ? (BoolExpr.args ?? []).flatMap(conjunctsOf) : [condition]
}

/** Returns the values to which a condition limits database_id of a table, or undefined. */
function databaseIdsIn(condition: Node, table: string, isOnlyTable: boolean): Node[] | undefined {
  const { BoolExpr, A_Expr } = as(condition)
  if (BoolExpr?.boolop === 'OR_EXPR') {
    const arms = (BoolExpr.args ?? []).map((arm) =>
      conjunctsOf(arm)
        .map((each) => databaseIdsIn(each, table, isOnlyTable))
        .find((each) => each !== undefined),
    )
    return arms.every((each) => each !== undefined) ? arms.flat() : undefined
  }
  if (!A_Expr || as(A_Expr.name?.[0]).String?.sval !== '=') return undefined
  const left = partsOf(A_Expr.lexpr)
  const index = left.findIndex((each) => {
    const found = columnOf(each)
    return found?.column === 'database_id' && (found.table === table || (!found.table && isOnlyTable))
  })
  const right =
    A_Expr.kind === 'AEXPR_IN'
      ? (as(A_Expr.rexpr).List?.items ?? [])
      : A_Expr.kind === 'AEXPR_OP' && A_Expr.rexpr
        ? [A_Expr.rexpr]
        : []
  const values = right.map((each) => partsOf(each)[index])
  return index >= 0 && values.length > 0 && values.every(isValue) ? values : undefined
}

/** Returns a and b of the row (a, b), and any other node itself. */
const partsOf = (node?: Node): Node[] => as(node).RowExpr?.args ?? (node ? [node] : [])

function columnOf(node?: Node) {
  const fields = as(node).ColumnRef?.fields?.map((each) => as(each).String?.sval)
  return fields && { column: fields.at(-1), table: fields.at(-2) }
}

function isValue(node?: Node): node is Node {
  const { ParamRef, A_Const, TypeCast } = as(node)
  return ParamRef !== undefined || A_Const !== undefined || (TypeCast !== undefined && isValue(TypeCast.arg))
}

/** Returns a value as text, or null for NULL. */
function textOf(node: Node | undefined, parameters: Logged['parameters']): string | null {
  const { ParamRef, A_Const, TypeCast } = as(node)
  if (TypeCast) return textOf(TypeCast.arg, parameters)
  if (ParamRef?.number !== undefined) {
    const parameter = parameters[ParamRef.number - 1]
    if (parameter === undefined) throw new Error(`no value of $${ParamRef.number}`)
    return parameter
  }
  return A_Const?.sval?.sval ?? null
}
