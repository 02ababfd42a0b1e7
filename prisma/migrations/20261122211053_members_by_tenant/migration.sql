-- DropIndex
DROP INDEX "usher"."membership_database_id_tenant_id_idx";

-- CreateIndex
CREATE INDEX "membership_database_id_tenant_id_user_id_idx" ON "usher"."membership"("database_id", "tenant_id", "user_id");

