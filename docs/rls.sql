-- Row-level security by the tenants of an access token. docs/rls.md explains it. Run it as the owner of the tables.

-- Role of requests that have a valid token, and the role with which a backend logs in.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticated') THEN
    CREATE ROLE authenticated NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'authenticator') THEN
    CREATE ROLE authenticator LOGIN NOINHERIT;
  END IF;
END
$$;
GRANT authenticated TO authenticator;

CREATE SCHEMA token;
GRANT USAGE ON SCHEMA token TO authenticated;

-- Claims of the token in this transaction. Empty without a token.
CREATE FUNCTION token.claims() RETURNS jsonb LANGUAGE sql STABLE
  RETURN coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;

-- A claim of your product as text, or NULL.
CREATE FUNCTION token.claim(name text) RETURNS text LANGUAGE sql STABLE
  RETURN token.claims() ->> name;

-- ID of the user, or NULL without a token, and with a token that opens only a tenant.
CREATE FUNCTION token.user_id() RETURNS uuid LANGUAGE sql STABLE
  RETURN CASE WHEN token.claims() -> 'account' IS DISTINCT FROM 'false' THEN (token.claims() ->> 'sub')::uuid END;

-- ID of the user as a member of the tenants of the token, for rows of these tenants only.
CREATE FUNCTION token.member_id() RETURNS uuid LANGUAGE sql STABLE
  RETURN (token.claims() ->> 'sub')::uuid;

-- IDs of the user's tenants. Empty without a token, and if the token leaves them out.
CREATE FUNCTION token.tenants() RETURNS uuid[] LANGUAGE sql STABLE
  RETURN ARRAY(SELECT jsonb_array_elements_text(coalesce(token.claims() -> 'tenants', '[]'))::uuid);

-- IDs of the tenants in which the user has one of these roles. Empty also if the token leaves roles out.
CREATE FUNCTION token.tenants_as(VARIADIC roles text[]) RETURNS uuid[] LANGUAGE sql STABLE
  RETURN ARRAY(
    SELECT tenant::uuid FROM jsonb_array_elements_text(coalesce(token.claims() -> 'tenants', '[]')) AS tenant
    WHERE token.claims() ? 'tenant_roles'
      AND coalesce(token.claims() -> 'tenant_roles' ->> tenant, 'member') = ANY (roles)
  );

-- Whether the user has proven two factors. False without a token.
CREATE FUNCTION token.is_aal2() RETURNS boolean LANGUAGE sql STABLE
  RETURN coalesce(token.claims() ->> 'acr' = 'aal2', false);

-- Whether the user last proved to be that user at most so long ago. False without a token.
CREATE FUNCTION token.proven_within(age interval) RETURNS boolean LANGUAGE sql STABLE
  RETURN coalesce(now() - to_timestamp((token.claims() ->> 'auth_time')::float8) <= age, false);

-- A table whose rows belong to tenants.
CREATE TABLE project (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  -- Begins with the tenant, so that an existing ID of another tenant is no error that reveals it.
  PRIMARY KEY (tenant_id, id)
);
ALTER TABLE project ENABLE ROW LEVEL SECURITY;
-- The subquery is evaluated once for a statement, not for each row.
CREATE POLICY of_tenant ON project TO authenticated
  USING (tenant_id = ANY ((SELECT token.tenants())::uuid[]))
  WITH CHECK (tenant_id = ANY ((SELECT token.tenants())::uuid[]));
-- A restrictive policy must also allow a statement: only owners and admins delete a project.
CREATE POLICY deleted_by_admins ON project AS RESTRICTIVE FOR DELETE TO authenticated
  USING (tenant_id = ANY ((SELECT token.tenants_as('owner', 'admin'))::uuid[]));
GRANT SELECT, INSERT, UPDATE, DELETE ON project TO authenticated;

-- A table that references it.
CREATE TABLE task (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL,
  title text NOT NULL,
  PRIMARY KEY (tenant_id, id),
  -- Foreign keys ignore policies. With the tenant in it, this one cannot lead to the project of another tenant.
  FOREIGN KEY (tenant_id, project_id) REFERENCES project ON DELETE CASCADE
);
ALTER TABLE task ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON task TO authenticated
  USING (tenant_id = ANY ((SELECT token.tenants())::uuid[]))
  WITH CHECK (tenant_id = ANY ((SELECT token.tenants())::uuid[]));
GRANT SELECT, INSERT, UPDATE, DELETE ON task TO authenticated;

-- A table for users with a second factor, who change it only soon after they have proven it.
CREATE TABLE bank_account (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  iban text NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
ALTER TABLE bank_account ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON bank_account TO authenticated
  USING (tenant_id = ANY ((SELECT token.tenants())::uuid[]))
  WITH CHECK (tenant_id = ANY ((SELECT token.tenants())::uuid[]));
CREATE POLICY with_second_factor ON bank_account AS RESTRICTIVE TO authenticated
  USING ((SELECT token.is_aal2()));
CREATE POLICY updated_soon ON bank_account AS RESTRICTIVE FOR UPDATE TO authenticated
  USING ((SELECT token.proven_within('10 minutes')));
GRANT SELECT, INSERT, UPDATE ON bank_account TO authenticated;

-- A table for tokens whose claim `plan` comes from the tenant.
CREATE TABLE report (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  title text NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
ALTER TABLE report ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON report TO authenticated
  USING (tenant_id = ANY ((SELECT token.tenants())::uuid[]))
  WITH CHECK (tenant_id = ANY ((SELECT token.tenants())::uuid[]));
CREATE POLICY with_plan ON report AS RESTRICTIVE TO authenticated
  USING ((SELECT token.claim('plan')) = 'pro');
GRANT SELECT, INSERT ON report TO authenticated;

-- A view uses the policies of the role that reads it only with security_invoker.
CREATE VIEW open_task WITH (security_invoker = true) AS
  SELECT tenant_id, task.id, title, name AS project_name FROM task JOIN project USING (tenant_id)
  WHERE project.id = task.project_id;
GRANT SELECT ON open_task TO authenticated;
