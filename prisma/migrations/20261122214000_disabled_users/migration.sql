-- CreateIndex
CREATE INDEX "user_disabled_idx" ON "usher"."user"("database_id", "id") WHERE (disabled_at IS NOT NULL);

