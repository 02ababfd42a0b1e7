-- AlterTable
ALTER TABLE "usher"."user" ADD COLUMN     "tenants_version" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "usher"."revocation" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGINT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "actor_id" UUID,

    CONSTRAINT "revocation_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."revocation_cursor" (
    "database_id" UUID NOT NULL,
    "lineage" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "revocation_cursor_pkey" PRIMARY KEY ("database_id")
);

-- CreateIndex
CREATE INDEX "revocation_unnumbered_idx" ON "usher"."revocation"("database_id", "stored_at", "id") WHERE (seq IS NULL);

-- CreateIndex
CREATE INDEX "revocation_actor_idx" ON "usher"."revocation"("database_id", "actor_id") WHERE (actor_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "revocation_seq_key" ON "usher"."revocation"("database_id", "seq") WHERE (seq IS NOT NULL);

-- AddForeignKey
ALTER TABLE "usher"."revocation" ADD CONSTRAINT "revocation_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."revocation_cursor" ADD CONSTRAINT "revocation_cursor_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

