-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "usher";

-- CreateEnum
CREATE TYPE "usher"."password_policy" AS ENUM ('none', 'standard', 'nist');

-- CreateEnum
CREATE TYPE "usher"."signing_algorithm" AS ENUM ('ES256', 'RS256', 'EdDSA');

-- CreateTable
CREATE TABLE "usher"."workspace" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usher"."database" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "password_policy" "usher"."password_policy" NOT NULL DEFAULT 'standard',
    "signing_algorithm" "usher"."signing_algorithm" NOT NULL DEFAULT 'ES256',
    "token_max_age" INTEGER,
    "decoy_hashes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usher"."signing_key" (
    "database_id" UUID NOT NULL,
    "kid" TEXT NOT NULL,
    "algorithm" "usher"."signing_algorithm" NOT NULL,
    "public_key" TEXT NOT NULL,
    "sealed_private_key" BYTEA NOT NULL,
    "activates_at" TIMESTAMPTZ(3) NOT NULL,
    "retires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("database_id","kid")
);

-- CreateTable
CREATE TABLE "usher"."user" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "preferred_name" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "tokens_valid_after" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."tenant" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."membership" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("database_id","user_id","tenant_id")
);

-- CreateTable
CREATE TABLE "usher"."login_failures" (
    "database_id" UUID NOT NULL,
    "address" BYTEA NOT NULL,
    "network" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_failure_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_failures_pkey" PRIMARY KEY ("database_id","address","network")
);

-- CreateTable
CREATE TABLE "usher"."idempotency_key" (
    "database_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "email_key" TEXT NOT NULL,
    "tenant_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("database_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "workspace_slug_key" ON "usher"."workspace"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "database_workspace_id_name_key" ON "usher"."database"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "user_database_id_email_key_key" ON "usher"."user"("database_id", "email_key");

-- CreateIndex
CREATE INDEX "membership_database_id_tenant_id_idx" ON "usher"."membership"("database_id", "tenant_id");

-- CreateIndex
CREATE INDEX "login_failures_database_id_last_failure_at_idx" ON "usher"."login_failures"("database_id", "last_failure_at");

-- CreateIndex
CREATE INDEX "idempotency_key_database_id_user_id_idx" ON "usher"."idempotency_key"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "idempotency_key_database_id_created_at_idx" ON "usher"."idempotency_key"("database_id", "created_at");

-- AddForeignKey
ALTER TABLE "usher"."database" ADD CONSTRAINT "database_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "usher"."workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."signing_key" ADD CONSTRAINT "signing_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."user" ADD CONSTRAINT "user_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant" ADD CONSTRAINT "tenant_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."membership" ADD CONSTRAINT "membership_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."membership" ADD CONSTRAINT "membership_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."login_failures" ADD CONSTRAINT "login_failures_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."idempotency_key" ADD CONSTRAINT "idempotency_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."idempotency_key" ADD CONSTRAINT "idempotency_key_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
