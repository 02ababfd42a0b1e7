-- Where most databases have one row of a table, Postgres expects one row in each database, and then any index that begins
-- with database_id seems to find a row as fast as the index of its key. In a database with many rows it reads all of them.
-- So plans expect a two-hundredth of a table in each database, as Postgres itself does before its first ANALYZE.
ALTER TABLE "usher"."api_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."api_request" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."code" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."code_request" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."database_secret" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."event_cursor" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."event_tail" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."hash_parameters" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."idempotency_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."invitation" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."kept_event" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."known_network" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."login_failures" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."membership" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."network_failures" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."outbox" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."outbox_stream" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."revocation" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."revocation_cursor" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."session" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."signing_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."sweep" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."tenant" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."user" ALTER COLUMN "database_id" SET (n_distinct = 200);
