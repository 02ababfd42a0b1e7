-- Messages that wait come before all later ones, in the order of their ids.
ALTER TABLE "usher"."outbox" ADD COLUMN "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT 'epoch';

ALTER TABLE "usher"."outbox" ALTER COLUMN "stored_at" SET DEFAULT statement_timestamp();
