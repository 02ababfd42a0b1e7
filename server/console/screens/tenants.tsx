import { useState } from 'preact/hooks'
import { call, type DataOf, type Result } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { FormDialog } from '../parts/dialog.js'
import { Find } from '../parts/find.js'
import { Field } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Pager, rangeOf, Table, usePages } from '../parts/table.js'
import { count, Empty, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns the tenants whose name begins with a text, and the one that has it as ID or external ID. Without a text, all. */
async function findTenants(
  at: { workspaceSlug: string; databaseName: string },
  text: string,
  after: string | undefined,
): Promise<Result<DataOf<'listTenants'>>> {
  if (!text) return call('listTenants', { ...at, query: { after } })
  const [byName, byExternalId, byId] = await Promise.all([
    call('listTenants', { ...at, query: { namePrefix: text, after } }),
    after ? undefined : call('listTenants', { ...at, query: { externalId: text } }),
    !after && uuid.test(text) ? call('getTenant', { ...at, tenantId: text }) : undefined,
  ])
  if (byName.error) return byName
  const { tenants: named, next } = byName.data
  const found = [byId?.data, ...(byExternalId?.data?.tenants ?? []), ...named].filter(
    (each) => each !== undefined,
  )
  return {
    data: { tenants: [...new Map(found.map((tenant) => [tenant.id, tenant])).values()], next },
    etag: undefined,
  }
}

/** The tenants of a database. */
export function Tenants() {
  const { at, may } = useConsole()
  const [text, setText] = useState('')
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(() => findTenants(at, text, after), [text, after], true)
  const { data } = loading
  // What former texts have found is shown until then, but not counted.
  const shown = data &&
    !loading.isBusy && {
      one: 'tenant',
      rows: data.tenants.length,
      pages,
      next: data.next,
      isSearch: text !== '',
    }
  const pathOfTenant = (id: string) => pathTo(at.workspaceSlug, at.databaseName, 'tenants', id)
  return (
    <>
      <div class="row spread top">
        <Heading title="Tenants" />
        {may('addTenant') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Create a tenant
          </button>
        )}
      </div>
      <div class="row">
        <Find
          label="Find tenants"
          hint="Start of the name, or the whole ID or external ID"
          value={text}
          maxLength={255}
          status={shown ? rangeOf(shown) : ''}
          find={(next) => {
            pages.first()
            setText(next)
          }}
        />
      </div>
      <Loaded of={loading}>
        {({ tenants, next }) => (
          <>
            <Table
              caption={shown ? `${rangeOf(shown)}${text ? '' : ', by ID'}` : 'Loading…'}
              rows={tenants}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  cell: ({ id, name }) => (
                    <a href={pathOfTenant(id)}>
                      <bdi>{name}</bdi>
                    </a>
                  ),
                },
                {
                  name: 'Seats',
                  isKept: true,
                  cell: ({ seats }) => (seats === null ? 'no limit' : count(seats)),
                },
                { name: 'External ID', cell: (tenant) => <Name of={tenant.externalId} /> },
                { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
              empty={
                !shown ? (
                  <p class="soft">Loading…</p>
                ) : text ? (
                  <Empty>No tenant is found. The middle of a name is not searched, only its start.</Empty>
                ) : (
                  <Empty
                    command={
                      may('addTenant')
                        ? `tenant create ${at.workspaceSlug}/${at.databaseName} "Analytical Engines"`
                        : undefined
                    }
                  >
                    A tenant is a customer of your product, with users as members.
                    {may('addTenant') && ' Create the first one.'}
                  </Empty>
                )
              }
            />
            <Pager pages={pages} next={shown ? next : null} rows={tenants.length} />
          </>
        )}
      </Loaded>
      {isAdding && (
        <FormDialog
          title="Create a tenant"
          onClose={() => setAdding(false)}
          submit="Create"
          send={async ({ name = '', externalId, seats }) => {
            const body = {
              name,
              ...(externalId && { externalId }),
              ...(seats && { seats: Number(seats) }),
            }
            const { data, error } = await call('addTenant', { ...at, body })
            if (!data) return error
            announce('The tenant is created.')
            go(pathOfTenant(data.id))
            return undefined
          }}
        >
          <Field name="name" label="Name" />
          <Field name="externalId" label="External ID" isOptional hint="The ID in your product." />
          <Field name="seats" label="Seats" type="number" min={1} isOptional hint="Empty: no limit." />
        </FormDialog>
      )}
    </>
  )
}
