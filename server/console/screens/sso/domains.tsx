import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Copy } from '../../parts/copy.js'
import { Danger, FormDialog } from '../../parts/dialog.js'
import { Failure } from '../../parts/failure.js'
import { Field } from '../../parts/form.js'
import { useTask } from '../../parts/load.js'
import { announce } from '../../parts/status.js'
import { type Column, Table } from '../../parts/table.js'
import { counted, Empty, Heading3, Time } from '../../parts/text.js'
import type { PartProps } from './single-sign-on.js'

type Domain = DataOf<'getSso'>['domains'][number]

/** The mail domains of a tenant. */
export function Domains({ tenantId, sso: { domains }, reload }: PartProps) {
  const { at, may } = useConsole()
  const [isAdding, setAdding] = useState(false)
  /** The domain that was checked last. */
  const [checked, setChecked] = useState('')
  const task = useTask()
  const of = { ...at, tenantId }
  const check = (domain: string) => {
    setChecked(domain)
    return task.run(() => call('checkSsoDomain', { ...of, domain }), `${domain} is proven.`).then(reload)
  }
  const columns: Column<Domain>[] = [
    { name: 'Domain', cell: ({ domain }) => <bdi>{domain}</bdi> },
    { name: 'State', isKept: true, cell: (domain) => <State of={domain} /> },
    { name: 'Record', cell: ({ domain, record }) => <Record domain={domain} record={record} /> },
    {
      name: '',
      cell: ({ domain }) => (
        <div class="row">
          {may('checkSsoDomain') && (
            <button
              type="button"
              aria-label={`Check ${domain}`}
              disabled={task.isBusy}
              onClick={() => check(domain)}
            >
              Check
            </button>
          )}
          {may('removeSsoDomain') && (
            <Danger
              action="Remove"
              of={domain}
              consequences={[
                'Logins with addresses of the domain are no longer led to the provider, and nobody joins by such an address.',
                'Members whom the provider knows can still log in.',
              ]}
              run={() => call('removeSsoDomain', { ...of, domain })}
              onDone={() => {
                announce(`${domain} is removed.`)
                reload()
              }}
            />
          )}
        </div>
      ),
    },
  ]
  return (
    <>
      <Heading3 title="Domains">
        {may('addSsoDomain') && (
          <button type="button" onClick={() => setAdding(true)}>
            Add a domain
          </button>
        )}
      </Heading3>
      <Failure problem={task.problem}>
        {task.problem?.code === 'domain_taken' && may('transferSsoDomain') && (
          <Danger
            action="Move the domain here"
            of={checked}
            consequences={[
              'The other tenant loses the domain at once, and its owners get a mail.',
              'The record of this tenant must be in DNS. No people and members move.',
            ]}
            run={() => call('transferSsoDomain', { ...of, domain: checked })}
            onDone={() => {
              task.clear()
              announce(`${checked} belongs to this tenant.`)
              reload()
            }}
          />
        )}
      </Failure>
      <Table
        caption={`${counted(domains.length, 'domain')}, in alphabetical order`}
        rows={domains}
        keyOf={({ domain }) => domain}
        columns={columns}
        empty={
          <Empty
            command={
              may('addSsoDomain')
                ? `tenant sso add-domain ${at.workspaceSlug}/${at.databaseName} ${tenantId} acme.example`
                : undefined
            }
          >
            The tenant has no domain, so no address leads to its provider.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add a domain"
          onClose={() => setAdding(false)}
          submit="Add"
          send={async ({ domain = '' }) => {
            const { error } = await call('addSsoDomain', { ...of, body: { domain } })
            if (error) return error
            setAdding(false)
            announce('The domain is added. Add its record to DNS, and check it within 7 days.')
            await reload()
            return undefined
          }}
        >
          <Field
            name="domain"
            label="Domain"
            hint="The part of addresses after the @, such as acme.example. Subdomains are domains of their own."
          />
        </FormDialog>
      )}
    </>
  )
}

function State({ of: { state, expiresAt, missingSince } }: { of: Domain }) {
  const at = state === 'pending' ? expiresAt : state === 'missing' ? missingSince : null
  return (
    <>
      <span class="whole">{state}</span>
      {at && (
        <>
          , {state === 'pending' ? 'expires ' : 'since '}
          <Time at={at} />
        </>
      )}
    </>
  )
}

const Record = ({ domain, record: { type, name, value } }: Pick<Domain, 'domain' | 'record'>) => (
  <>
    {type} <code>{name}</code> <Copy value={name} of={`the name of the record of ${domain}`} />
    <br />
    <code>{value}</code> <Copy value={value} of={`the record of ${domain}`} />
  </>
)
