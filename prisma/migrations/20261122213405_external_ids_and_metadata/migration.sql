-- AlterTable
ALTER TABLE "usher"."tenant" ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "metadata" JSON,
ADD COLUMN     "private_metadata" JSON;

-- AlterTable
ALTER TABLE "usher"."user" ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "metadata" JSON,
ADD COLUMN     "private_metadata" JSON;

-- CreateIndex
CREATE UNIQUE INDEX "tenant_database_id_external_id_key" ON "usher"."tenant"("database_id", "external_id") WHERE (external_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "user_database_id_external_id_key" ON "usher"."user"("database_id", "external_id") WHERE (external_id IS NOT NULL);

