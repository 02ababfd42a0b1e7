import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { FormDialog } from '../parts/dialog.js'
import { Field, Form } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Pager, Table, usePages } from '../parts/table.js'
import { count, Empty, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

/** The tenants of a database. */
export function Tenants() {
  const { at, may } = useConsole()
  const [externalId, setExternalId] = useState('')
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(
    () => call('listTenants', { ...at, query: { externalId, after } }),
    [externalId, after],
  )
  const pathOfTenant = (id: string) => pathTo(at.workspaceSlug, at.databaseName, 'tenants', id)
  return (
    <>
      <Heading title="Tenants" />
      <div class="row spread">
        <search>
          <Form
            submit="Find"
            label="Find tenants"
            send={async (values) => {
              pages.first()
              setExternalId(values.externalId?.trim() ?? '')
              return undefined
            }}
          >
            <Field name="externalId" label="External ID" type="search" isOptional maxLength={255} />
          </Form>
        </search>
        {may('addTenant') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Create a tenant
          </button>
        )}
      </div>
      <Loaded of={loading}>
        {({ tenants, next }) => (
          <>
            <Table
              caption="Tenants, by ID"
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
                externalId ? (
                  <Empty>No tenant has this external ID.</Empty>
                ) : (
                  <Empty
                    command={`tenant create ${at.workspaceSlug}/${at.databaseName} "Analytical Engines"`}
                  >
                    A tenant is a customer of your product, with users as members. Create the first one.
                  </Empty>
                )
              }
            />
            <Pager pages={pages} next={next} />
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
