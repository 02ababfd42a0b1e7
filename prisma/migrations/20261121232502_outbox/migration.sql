-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "events_tailed_until" TIMESTAMPTZ(3),
ADD COLUMN     "sealed_webhook_secret" BYTEA,
ADD COLUMN     "webhook_url" TEXT;

-- CreateTable
CREATE TABLE "usher"."outbox" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "user_id" UUID,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateIndex
CREATE INDEX "outbox_database_id_due_at_idx" ON "usher"."outbox"("database_id", "due_at");

-- CreateIndex
CREATE INDEX "outbox_database_id_user_id_idx" ON "usher"."outbox"("database_id", "user_id");

-- AddForeignKey
ALTER TABLE "usher"."outbox" ADD CONSTRAINT "outbox_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

