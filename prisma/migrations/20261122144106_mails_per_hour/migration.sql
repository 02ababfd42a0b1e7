-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "mails_per_hour" INTEGER NOT NULL DEFAULT 1000;

