-- AlterTable
ALTER TABLE "usher"."code" ADD COLUMN     "message_stored_at" TIMESTAMPTZ(6);

