-- Find names by their start, ignoring case. In the order of bytes, because that of a language has no prefixes.
CREATE INDEX "user_name_prefix_idx" ON "usher"."user"("database_id", (lower("preferred_name") COLLATE "C"), "id") WHERE "preferred_name" IS NOT NULL AND "reserved_for" IS NULL;

CREATE INDEX "tenant_name_prefix_idx" ON "usher"."tenant"("database_id", (lower("name") COLLATE "C"), "id");
