-- AlterTable
ALTER TABLE "usher"."code" ADD COLUMN     "email" TEXT;

-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "notice_account_deleted" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notice_email_changed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notice_new_network" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notice_password_changed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notice_session_reused" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "usher"."outbox" ADD COLUMN     "recipient" TEXT;

-- AlterTable
ALTER TABLE "usher"."user" ADD COLUMN     "reserved_for" UUID,
ADD COLUMN     "reserved_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "user_disabled_account_idx" ON "usher"."user"("database_id", "id") WHERE (disabled_at IS NOT NULL AND reserved_for IS NULL);

-- CreateIndex
CREATE INDEX "user_reserved_for_idx" ON "usher"."user"("database_id", "reserved_for") WHERE (reserved_for IS NOT NULL);

-- CreateIndex
CREATE INDEX "user_reserved_until_idx" ON "usher"."user"("database_id", "reserved_until") WHERE (reserved_until IS NOT NULL);

-- AddForeignKey
ALTER TABLE "usher"."user" ADD CONSTRAINT "user_database_id_reserved_for_fkey" FOREIGN KEY ("database_id", "reserved_for") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

