-- AlterTable
ALTER TABLE "usher"."session" ADD COLUMN     "retries" INTEGER NOT NULL DEFAULT 0;

