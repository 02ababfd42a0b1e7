-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "verify_email_with_token" BOOLEAN NOT NULL DEFAULT false;

