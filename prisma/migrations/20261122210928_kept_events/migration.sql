-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "events_kept" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "usher"."kept_event" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGINT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),

    CONSTRAINT "kept_event_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."event_cursor" (
    "database_id" UUID NOT NULL,
    "lineage" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_cursor_pkey" PRIMARY KEY ("database_id")
);

-- CreateIndex
CREATE INDEX "kept_event_unnumbered_idx" ON "usher"."kept_event"("database_id", "stored_at", "id") WHERE (seq IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "kept_event_seq_key" ON "usher"."kept_event"("database_id", "seq") WHERE (seq IS NOT NULL);

-- AddForeignKey
ALTER TABLE "usher"."kept_event" ADD CONSTRAINT "kept_event_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."event_cursor" ADD CONSTRAINT "event_cursor_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

