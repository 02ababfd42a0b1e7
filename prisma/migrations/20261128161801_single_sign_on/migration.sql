-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "single_sign_on" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "sso_routing" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "usher"."membership" ADD COLUMN     "sso_exempt" BOOLEAN,
ADD COLUMN     "sso_only" BOOLEAN;

-- AlterTable
ALTER TABLE "usher"."session" ADD COLUMN     "sso_proofs" JSONB;

-- AlterTable
ALTER TABLE "usher"."tenant" ADD COLUMN     "sso_acr" TEXT,
ADD COLUMN     "sso_jit" BOOLEAN,
ADD COLUMN     "sso_max_age" INTEGER,
ADD COLUMN     "sso_required_at" TIMESTAMPTZ(3),
ADD COLUMN     "sso_role" TEXT,
ADD COLUMN     "sso_trust_amr" BOOLEAN;

-- CreateTable
CREATE TABLE "usher"."tenant_connection" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "preset" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_secret" BYTEA,
    "options" JSONB NOT NULL DEFAULT '{}',
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "tested_at" TIMESTAMPTZ(3),

    CONSTRAINT "tenant_connection_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."tenant_domain" (
    "database_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "proven_at" TIMESTAMPTZ(3),
    "missing_since" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "tenant_domain_pkey" PRIMARY KEY ("database_id","tenant_id","domain")
);

-- CreateTable
CREATE TABLE "usher"."tenant_entry" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "connection_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "email" TEXT,
    "name" TEXT,
    "proves_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_entry_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."sso_portal" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "token_hash" BYTEA,
    "may_require" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sso_portal_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateIndex
CREATE INDEX "tenant_connection_database_id_tenant_id_idx" ON "usher"."tenant_connection"("database_id", "tenant_id");

-- CreateIndex
CREATE INDEX "tenant_domain_checked_idx" ON "usher"."tenant_domain"("database_id", "checked_at") WHERE (state = ANY (ARRAY['proven'::text, 'missing'::text]));

-- CreateIndex
CREATE INDEX "tenant_domain_pending_idx" ON "usher"."tenant_domain"("database_id", "created_at") WHERE (state = 'pending');

-- CreateIndex
CREATE UNIQUE INDEX "tenant_domain_proven_key" ON "usher"."tenant_domain"("database_id", "domain") WHERE (state = ANY (ARRAY['proven'::text, 'missing'::text]));

-- CreateIndex
CREATE INDEX "tenant_entry_database_id_tenant_id_id_idx" ON "usher"."tenant_entry"("database_id", "tenant_id", "id");

-- CreateIndex
CREATE INDEX "tenant_entry_database_id_user_id_idx" ON "usher"."tenant_entry"("database_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_entry_database_id_connection_id_issuer_subject_key" ON "usher"."tenant_entry"("database_id", "connection_id", "issuer", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_entry_database_id_tenant_id_user_id_key" ON "usher"."tenant_entry"("database_id", "tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "sso_portal_database_id_tenant_id_idx" ON "usher"."sso_portal"("database_id", "tenant_id");

-- CreateIndex
CREATE INDEX "sso_portal_database_id_expires_at_idx" ON "usher"."sso_portal"("database_id", "expires_at");

-- AddForeignKey
ALTER TABLE "usher"."tenant_connection" ADD CONSTRAINT "tenant_connection_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_connection" ADD CONSTRAINT "tenant_connection_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_domain" ADD CONSTRAINT "tenant_domain_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_domain" ADD CONSTRAINT "tenant_domain_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_entry" ADD CONSTRAINT "tenant_entry_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_entry" ADD CONSTRAINT "tenant_entry_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant_entry" ADD CONSTRAINT "tenant_entry_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."sso_portal" ADD CONSTRAINT "sso_portal_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."sso_portal" ADD CONSTRAINT "sso_portal_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Statistics
ALTER TABLE "usher"."tenant_connection" ALTER COLUMN "database_id" SET (n_distinct = 200);
-- Statistics
ALTER TABLE "usher"."tenant_domain" ALTER COLUMN "database_id" SET (n_distinct = 200);
-- Statistics
ALTER TABLE "usher"."tenant_entry" ALTER COLUMN "database_id" SET (n_distinct = 200);
-- Statistics
ALTER TABLE "usher"."sso_portal" ALTER COLUMN "database_id" SET (n_distinct = 200);
