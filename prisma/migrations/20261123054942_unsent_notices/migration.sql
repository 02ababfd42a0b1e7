-- CreateIndex
CREATE INDEX "outbox_recipient_idx" ON "usher"."outbox"("database_id", "created_at") WHERE (recipient IS NOT NULL);

