-- AlterTable
ALTER TABLE "usher"."outbox" ADD COLUMN     "in_stream" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "usher"."outbox_stream" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "outbox_stream_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."event_tail" (
    "database_id" UUID NOT NULL,
    "tailed_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_tail_pkey" PRIMARY KEY ("database_id")
);

-- CreateIndex
CREATE INDEX "outbox_stream_database_id_due_at_idx" ON "usher"."outbox_stream"("database_id", "due_at") WHERE (due_at > '-infinity');

-- CreateIndex
CREATE INDEX "outbox_event_idx" ON "usher"."outbox"("database_id", "user_id", "stored_at", "id") WHERE (kind = 'webhook');

-- CreateIndex
CREATE INDEX "outbox_without_stream_idx" ON "usher"."outbox"("kind", "database_id", "due_at") WHERE (NOT in_stream);

-- CreateIndex
CREATE INDEX "outbox_not_retried_idx" ON "usher"."outbox"("kind", "database_id") WHERE (due_at IS NULL);

-- AddForeignKey
ALTER TABLE "usher"."outbox_stream" ADD CONSTRAINT "outbox_stream_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."event_tail" ADD CONSTRAINT "event_tail_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

