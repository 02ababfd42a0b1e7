-- AlterTable
ALTER TABLE "usher"."outbox_stream" ADD COLUMN     "has_failed" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "outbox_stream_not_failed_idx" ON "usher"."outbox_stream"("database_id", "due_at") WHERE (due_at > '-infinity' AND NOT has_failed);

