-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "invitation_lifetime" INTEGER NOT NULL DEFAULT 604800,
ADD COLUMN     "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "tenant_operations" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "usher"."idempotency_key" ADD COLUMN     "invitation_id" UUID;

-- AlterTable
ALTER TABLE "usher"."membership" ADD COLUMN     "role" TEXT;

-- AlterTable
ALTER TABLE "usher"."tenant" ADD COLUMN     "creator_id" UUID,
ADD COLUMN     "seats" INTEGER;

-- CreateTable
CREATE TABLE "usher"."invitation" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "inviter_id" UUID,
    "code_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateIndex
CREATE INDEX "invitation_database_id_inviter_id_idx" ON "usher"."invitation"("database_id", "inviter_id");

-- CreateIndex
CREATE INDEX "invitation_database_id_expires_at_idx" ON "usher"."invitation"("database_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_database_id_tenant_id_email_key_key" ON "usher"."invitation"("database_id", "tenant_id", "email_key");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_database_id_code_id_key" ON "usher"."invitation"("database_id", "code_id");

-- CreateIndex
CREATE INDEX "membership_role_idx" ON "usher"."membership"("database_id", "role", "tenant_id", "user_id") WHERE (role <> 'member');

-- CreateIndex
CREATE INDEX "membership_without_role_idx" ON "usher"."membership"("database_id", "tenant_id", "joined_at", "user_id") WHERE (role IS NULL);

-- CreateIndex
CREATE INDEX "tenant_creator_idx" ON "usher"."tenant"("database_id", "creator_id") WHERE (creator_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_inviter_id_fkey" FOREIGN KEY ("database_id", "inviter_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

