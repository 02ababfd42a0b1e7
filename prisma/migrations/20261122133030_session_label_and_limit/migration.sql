-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "sessions_per_user" INTEGER NOT NULL DEFAULT 100;

-- AlterTable
ALTER TABLE "usher"."session" ADD COLUMN     "label" TEXT;

