-- CreateIndex
CREATE INDEX "user_email_prefix_idx" ON "usher"."user"("database_id", "email_key" text_pattern_ops);

