-- AlterTable
ALTER TABLE "usher"."event_cursor" ADD COLUMN     "deleted_seq" BIGINT,
ADD COLUMN     "deleted_stamp" TEXT;

-- AlterTable
ALTER TABLE "usher"."revocation_cursor" ADD COLUMN     "deleted_seq" BIGINT,
ADD COLUMN     "deleted_stamp" TEXT;

