-- CreateIndex
CREATE INDEX "user_created_at_idx" ON "usher"."user"("database_id", "created_at", "id") WHERE (reserved_for IS NULL);
